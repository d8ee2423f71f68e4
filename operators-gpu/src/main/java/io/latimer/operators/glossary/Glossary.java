package io.latimer.operators.glossary;

import com.ibm.icu.lang.UCharacter;
import io.latimer.operators.RecordException;
import io.latimer.operators.device.Device;
import io.latimer.operators.glossary.index.GlossaryBuilder;
import io.latimer.operators.glossary.index.GlossaryBuilder.Repeated;
import io.latimer.operators.glossary.index.GlossaryFormatException;
import io.latimer.operators.glossary.index.GlossaryIndex;
import io.latimer.operators.glossary.index.GlossaryIndex.Found;
import io.latimer.operators.glossary.index.TermFolding;
import io.latimer.operators.glossary.index.TermWords;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.index.ResidentIndexes.Lease;
import io.latimer.operators.text.terms.TargetRule;
import io.latimer.operators.text.terms.Term;
import io.latimer.operators.text.terms.TermMatch;
import io.latimer.operators.text.terms.Terminology;
import io.latimer.operators.util.Closer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A glossary: an index file that is mapped, or terms in memory, and terms that a job learned since.
 * Searches take time that grows with the text, whatever the terms are. Immutable and thread-safe.
 */
public final class Glossary implements Terminology {
  private final GlossaryIndex index;
  private final GlossaryIndex learned; // null without learned terms
  private final TermFolding targetFolding;
  private final Locale targetLocale;
  private final Runnable close;

  private Glossary(GlossaryIndex index, GlossaryIndex learned, Runnable close) {
    this.index = index;
    this.learned = learned;
    this.targetFolding = TermFolding.of(index.targetLanguage());
    this.targetLocale = Locale.forLanguageTag(index.targetLanguage());
    this.close = close;
  }

  /**
   * An opener of glossaries for an index file, which is loaded once per process and shared. The
   * device does not matter.
   */
  public static IndexOpener<Glossary> opener() {
    return new IndexOpener<>(
        GlossaryIndex.KIND,
        (residents, ref, device) ->
            IndexOpener.own(
                residents.acquire(
                    ref, Device.CPU, GlossaryIndex.class, (file, on) -> GlossaryIndex.open(file)),
                (Lease<GlossaryIndex> lease) -> new Glossary(lease.get(), null, lease::close)));
  }

  /**
   * Opens a glossary with learned terms, which are shared by all of the process with equal ones. A
   * learned term counts before one of the file with the same source form, and a later one before an
   * earlier one.
   *
   * @param terms oldest first
   * @param digest identifies the terms
   * @throws RecordException if a term has too many words, or there are too many terms
   */
  public static Glossary open(
      ResidentIndexes residents, IndexRef ref, List<Term> terms, String digest) {
    Glossary file = opener().open(residents, ref, Device.CPU);
    if (terms.isEmpty()) {
      return file;
    }
    try {
      Lease<GlossaryIndex> learned =
          residents.derive(
              ref,
              Device.CPU,
              GlossaryIndex.class,
              "learned " + digest,
              () -> Lease.<AutoCloseable>unshared(() -> {}),
              unused -> file.added(terms));
      Closer held = new Closer();
      held.add(file);
      held.add(learned);
      return new Glossary(file.index, learned.get(), held::close);
    } catch (RuntimeException | Error e) {
      Closer.runAfter(e, file::close);
      throw e;
    }
  }

  private GlossaryIndex added(List<Term> terms) {
    return index(index.sourceLanguage(), index.targetLanguage(), terms, Repeated.LAST_COUNTS);
  }

  /** The glossary of an index that is open; closing it does not close the index. */
  public static Glossary of(GlossaryIndex index) {
    return new Glossary(index, null, () -> {});
  }

  /**
   * A glossary in memory, such as that of one record.
   *
   * @param sourceLanguage BCP 47 tag
   * @param targetLanguage BCP 47 tag
   * @throws RecordException if a term has too many words, or two have the same source form and
   *     another translation
   */
  public static Glossary of(String sourceLanguage, String targetLanguage, List<Term> terms) {
    return of(index(sourceLanguage, targetLanguage, terms, Repeated.REFUSED));
  }

  /**
   * This glossary with learned terms in place of those that it has learned. Its file is shared, and
   * stays usable when this is closed. A learned term counts before one of the file with the same
   * source form, and a later one before an earlier one.
   *
   * @throws RecordException if a term has too many words, or there are too many terms
   */
  public Glossary withLearned(List<Term> terms) {
    return new Glossary(index, terms.isEmpty() ? null : added(terms), () -> {});
  }

  private static GlossaryIndex index(
      String sourceLanguage, String targetLanguage, List<Term> terms, Repeated repeated) {
    GlossaryBuilder builder =
        new GlossaryBuilder(
            sourceLanguage,
            targetLanguage,
            repeated,
            place -> "term " + place + " of the glossary");
    try {
      for (int i = 0; i < terms.size(); i++) {
        builder.add(terms.get(i), i + 1);
      }
      return builder.inMemory();
    } catch (GlossaryFormatException e) {
      throw new RecordException(e.getMessage(), e);
    }
  }

  @Override
  public List<TermMatch> find(String sentence) {
    TermWords words = TermWords.of(sentence, index.folding());
    List<TermMatch> matches = new ArrayList<>();
    for (int at = 0; at < words.size(); ) {
      Found found = index.longest(words, at);
      Found added = learned == null ? null : learned.longest(words, at);
      boolean isLearned = added != null && (found == null || added.words() >= found.words());
      Found best = isLearned ? added : found;
      if (best == null) {
        at++;
        continue;
      }
      int start = words.start(at);
      int end = words.end(at + best.words() - 1);
      Term term = (isLearned ? learned : index).term(best.number());
      matches.add(
          new TermMatch(
              start, end, sentence.substring(start, end), words.startsSentence(at), term));
      at += best.words();
    }
    return matches;
  }

  @Override
  public List<TermMatch> unmet(List<TermMatch> matches, String translation) {
    return matches.isEmpty()
        ? List.of()
        : new FormCheck(matches, TermWords.of(translation, targetFolding), targetFolding).unmet();
  }

  @Override
  public String form(TermMatch match) {
    Term term = match.term();
    if (term.rule() == TargetRule.KEEP) {
      return match.text();
    }
    String form = term.targets().get(0);
    return match.startsSentence()
            && !term.caseSensitive()
            && Character.isUpperCase(match.text().codePointAt(0))
        ? capitalized(form)
        : form;
  }

  private String capitalized(String form) {
    int end = form.offsetByCodePoints(0, 1);
    return UCharacter.toTitleCase(
            targetLocale, form.substring(0, end), null, UCharacter.TITLECASE_NO_LOWERCASE)
        + form.substring(end);
  }

  /** The terms of the file. */
  public GlossaryIndex index() {
    return index;
  }

  @Override
  public String id() {
    return index.id();
  }

  @Override
  public String version() {
    return index.version();
  }

  @Override
  public void close() {
    close.run();
  }
}
