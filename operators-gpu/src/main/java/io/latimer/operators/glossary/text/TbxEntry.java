package io.latimer.operators.glossary.text;

import io.latimer.operators.RecordException;
import io.latimer.operators.text.terms.Term;
import java.util.ArrayList;
import java.util.List;

/** The terms of an entry of TBX, while it is read. */
final class TbxEntry {
  /** The elements whose text counts. */
  enum Part {
    NONE,
    TERM,
    STATUS
  }

  /** Twice the longest form: white space in the element's text counts, too. */
  private static final int MAX_CHARS = 2 * Term.MAX_CHARS;

  private final List<String> sources = new ArrayList<>();
  private final List<String> preferred = new ArrayList<>();
  private final List<String> admitted = new ArrayList<>();
  private final StringBuilder term = new StringBuilder();
  private final StringBuilder status = new StringBuilder();
  private Part part = Part.NONE;

  void beginTerm() {
    term.setLength(0);
    status.setLength(0);
  }

  void beginText(Part what) {
    part = what;
  }

  void endText() {
    part = Part.NONE;
  }

  void text(char[] text, int from, int length) {
    if (part == Part.NONE) {
      return;
    }
    StringBuilder to = part == Part.TERM ? term : status;
    if (length > MAX_CHARS - to.length()) {
      throw new RecordException(
          "a term has more than " + Term.MAX_CHARS + " characters; no term is that long");
    }
    to.append(text, from, length);
  }

  /** Adds the term that was read to those of its language. */
  void endTerm(boolean isSource, boolean isTarget) {
    String form = term.toString().strip();
    String is = status.toString();
    if (form.isEmpty()) {
      return;
    }
    if (isSource) {
      add(sources, form);
    }
    if (isTarget && !is.contains("deprecated") && !is.contains("superseded")) {
      add(is.contains("preferred") ? preferred : admitted, form);
    }
  }

  private static void add(List<String> forms, String form) {
    if (!forms.contains(form) && forms.size() <= Term.MAX_FORMS) {
      forms.add(form); // one more than there may be, so that the term is refused
    }
  }

  /** Whether there are source and target forms. */
  boolean isComplete() {
    return !sources.isEmpty() && !targets().isEmpty();
  }

  List<String> sources() {
    return sources;
  }

  /** The target forms, preferred ones first. */
  List<String> targets() {
    List<String> targets = new ArrayList<>(preferred);
    admitted.stream().filter(form -> !targets.contains(form)).forEach(targets::add);
    return targets;
  }
}
