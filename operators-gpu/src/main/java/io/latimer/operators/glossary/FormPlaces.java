package io.latimer.operators.glossary;

import io.latimer.operators.glossary.index.TermFolding;
import io.latimer.operators.glossary.index.TermHash;
import io.latimer.operators.glossary.index.TermWords;
import io.latimer.operators.text.terms.TargetRule;
import io.latimer.operators.text.terms.Term;
import io.latimer.operators.text.terms.TermMatch;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the places of target forms in a translation: all forms in one pass, which takes as many
 * steps for a word as the longest form has words.
 */
final class FormPlaces {
  /** Words of the translation, from the first to before the last. */
  record Place(int from, int to) {}

  /** A form, and where it stands if case does not count. */
  private static final class Form {
    private final TermWords words;
    private final List<Place> places = new ArrayList<>();

    Form(TermWords words) {
      this.words = words;
    }
  }

  private final TermWords translation;
  private final TermFolding folding;
  private final Map<Long, Form> forms = new HashMap<>();
  private final BitSet lengths = new BitSet();

  /** Searches a translation. */
  FormPlaces(TermWords translation, TermFolding folding, List<TermMatch> matches) {
    this.translation = translation;
    this.folding = folding;
    for (TermMatch match : matches) {
      for (String form : forms(match)) {
        TermWords words = TermWords.of(form, folding);
        forms.putIfAbsent(hash(words), new Form(words));
        lengths.set(words.size());
      }
    }
    for (int at = 0; at < translation.size(); at++) {
      search(at);
    }
  }

  private static List<String> forms(TermMatch match) {
    return match.term().rule() == TargetRule.KEEP ? List.of(match.text()) : match.term().targets();
  }

  private static long hash(TermWords words) {
    long hash = TermHash.start(0, false);
    for (int i = 0; i < words.size(); i++) {
      hash = TermHash.next(hash, words.hash(i, i == 0, false));
    }
    return hash;
  }

  private void search(int at) {
    long hash = TermHash.start(0, false);
    int longest = Math.min(lengths.length() - 1, translation.size() - at);
    for (int length = 1; length <= longest; length++) {
      int last = at + length - 1;
      hash = TermHash.next(hash, translation.hash(last, length == 1, false));
      Form form = lengths.get(length) ? forms.get(hash) : null;
      if (form != null && form.words.size() == length && translation.have(at, form.words, false)) {
        form.places.add(new Place(at, at + length));
      }
    }
  }

  /**
   * The places that satisfy the rule of a match, by its forms and then in the order of the
   * translation.
   *
   * @param most maximum number of places
   */
  List<Place> of(TermMatch match, int most) {
    List<Place> places = new ArrayList<>();
    for (String text : forms(match)) {
      TermWords words = TermWords.of(text, folding);
      Form form = forms.get(hash(words));
      for (Place place : form.places) {
        if (places.size() == most) {
          return places;
        }
        if (satisfies(match, words, place)) {
          places.add(place);
        }
      }
    }
    return places;
  }

  private boolean satisfies(TermMatch match, TermWords form, Place place) {
    Term term = match.term();
    if (term.rule() == TargetRule.ANY_FORM && !term.caseSensitive()) {
      return translation.have(place.from(), form, false);
    }
    boolean firstCaseMayDiffer =
        translation.startsSentence(place.from())
            || (term.rule() == TargetRule.KEEP && match.startsSentence());
    return firstCaseMayDiffer
        ? translation.haveButForFirstCase(place.from(), form)
        : translation.have(place.from(), form, true);
  }
}
