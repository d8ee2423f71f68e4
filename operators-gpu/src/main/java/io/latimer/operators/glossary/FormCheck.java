package io.latimer.operators.glossary;

import io.latimer.operators.glossary.FormPlaces.Place;
import io.latimer.operators.glossary.index.TermFolding;
import io.latimer.operators.glossary.index.TermWords;
import io.latimer.operators.text.terms.TargetRule;
import io.latimer.operators.text.terms.TermMatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Gives each match a place in a translation where one of its forms stands, so that no two places
 * overlap: the largest number of matches if all forms have one word (Kuhn's augmenting paths).
 * Where longer forms overlap, and beyond a limit of steps, a match may stay without a place that
 * another choice of places had left it.
 */
final class FormCheck {
  /** Maximum number of places for all terms together; each term has some. */
  private static final int MOST_PLACES = 1 << 20;

  private static final int LEAST_PLACES = 16;

  /** Maximum number of places that are looked at to make room: 1,000 terms, each in 250 places. */
  private static final int MOST_STEPS = 1 << 18;

  private static final int MOST_DEPTH = 64;
  private static final int FREE = -1;
  private static final int SEVERAL = -2;

  /** The places of equal terms. */
  private static final class Places {
    private final List<Place> all;
    private int next; // those before it were given away

    Places(List<Place> all) {
      this.all = all;
    }
  }

  private final List<TermMatch> matches;
  private final Places[] places;
  private final Place[] given;
  private final int[] owners; // the match that a word of the translation is given to
  private int steps;

  FormCheck(List<TermMatch> matches, TermWords translation, TermFolding folding) {
    this.matches = matches;
    this.given = new Place[matches.size()];
    this.owners = new int[translation.size()];
    Arrays.fill(owners, FREE);
    FormPlaces found = new FormPlaces(translation, folding, matches);
    long different = matches.stream().map(FormCheck::key).distinct().count();
    int most = (int) Math.max(LEAST_PLACES, MOST_PLACES / different);
    Map<Object, Places> byTerm = new HashMap<>();
    this.places =
        matches.stream()
            .map(
                match -> byTerm.computeIfAbsent(key(match), k -> new Places(found.of(match, most))))
            .toArray(Places[]::new);
  }

  /** What the places of a match depend on. */
  private static Object key(TermMatch match) {
    return match.term().rule() == TargetRule.KEEP
        ? List.of(match.text(), match.startsSentence())
        : match.term();
  }

  /** The matches without a place, in their order. */
  List<TermMatch> unmet() {
    int[] order =
        IntStream.range(0, matches.size())
            .boxed()
            .sorted(Comparator.comparingInt(match -> places[match].all.size()))
            .mapToInt(Integer::intValue)
            .toArray();
    for (int match : order) {
      if (!takeFree(match)) {
        makeRoom(match, new HashSet<>(), 0);
      }
    }
    List<TermMatch> unmet = new ArrayList<>();
    for (int match = 0; match < given.length; match++) {
      if (given[match] == null) {
        unmet.add(matches.get(match));
      }
    }
    return unmet;
  }

  private boolean takeFree(int match) {
    Places own = places[match];
    for (; own.next < own.all.size(); own.next++) {
      Place place = own.all.get(own.next);
      if (owner(place) == FREE) {
        give(match, place);
        return true;
      }
    }
    return false;
  }

  /**
   * Takes a place from one other match that has a place elsewhere.
   *
   * @param tried the places that were asked for, by their first words
   */
  private boolean makeRoom(int match, Set<Integer> tried, int depth) {
    for (Place place : places[match].all) {
      if (++steps > MOST_STEPS || depth == MOST_DEPTH) {
        return false;
      }
      int owner = owner(place);
      if (owner == FREE) {
        give(match, place);
        return true;
      }
      if (owner != SEVERAL && tried.add(place.from())) {
        Place before = given[owner];
        take(owner);
        give(match, place);
        if (makeRoom(owner, tried, depth + 1)) {
          return true;
        }
        take(match);
        give(owner, before);
      }
    }
    return false;
  }

  /** The match that has words of a place, if it is only one. */
  private int owner(Place place) {
    int owner = FREE;
    for (int word = place.from(); word < place.to(); word++) {
      if (owners[word] != FREE && owner != FREE && owners[word] != owner) {
        return SEVERAL;
      }
      owner = owners[word] == FREE ? owner : owners[word];
    }
    return owner;
  }

  private void give(int match, Place place) {
    given[match] = place;
    Arrays.fill(owners, place.from(), place.to(), match);
  }

  private void take(int match) {
    Arrays.fill(owners, given[match].from(), given[match].to(), FREE);
    given[match] = null;
  }
}
