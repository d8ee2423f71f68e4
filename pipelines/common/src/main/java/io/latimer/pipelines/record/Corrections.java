package io.latimer.pipelines.record;

import io.latimer.operators.RecordException;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.schemas.Correction;
import io.latimer.schemas.WordLink;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;

/** Converts between corrections and sentence pairs. */
public final class Corrections {
  /** Maximum number of pairs that a command appends. */
  public static final int MOST = 256;

  /** Total {@link #size} of corrections at which a command takes no more. */
  public static final int MAX_SIZE = 1 << 18;

  /**
   * Maximum number of alignment cells of a command: the sum of source words times target words over
   * its pairs without alignment. Aligning that many takes about half a second.
   */
  public static final long MAX_CELLS = 1 << 22;

  /** Maximum length of an id in characters. */
  public static final int MAX_ID = 200;

  /**
   * Maximum words of a sentence: the time to align a pair grows with the product of both lengths.
   */
  public static final int MAX_WORDS = 1_000;

  /** Maximum alignment links for each word of the two sentences; no aligner makes as many. */
  public static final int MAX_LINKS = 16;

  /** The size of a link in the size of a correction. */
  private static final int LINK_SIZE = 4;

  /** Maximum number of ids in a message. */
  private static final int SHOWN = 10;

  private Corrections() {}

  /**
   * Converts a correction to a pair: to one of words if it has an alignment, else to an unaligned
   * one of texts.
   *
   * @throws RecordException saying what is wrong with it, without its id
   */
  public static LearnedPair pair(Correction correction) {
    String id = correction.getId();
    if (id.isBlank() || id.length() > MAX_ID) {
      throw new RecordException(
          "a correction needs an id of 1 to " + MAX_ID + " characters, found " + id.length());
    }
    LearnedPair pair =
        correction.getAlignment() == null
            ? LearnedPair.ofTexts(
                id,
                correction.getTime().toEpochMilli(),
                correction.getSource(),
                correction.getTarget())
            : new LearnedPair(
                id,
                correction.getTime().toEpochMilli(),
                correction.getSource(),
                correction.getTarget(),
                alignment(correction));
    int words = words("source", pair.source()) + words("target", pair.target());
    int links = links(correction).size();
    if (links > MAX_LINKS * words) {
      throw tooManyLinks(links, words);
    }
    return pair;
  }

  private static int words(String side, String words) {
    int count = (int) words(words);
    if (count > MAX_WORDS) {
      throw new RecordException(
          "the "
              + side
              + " sentence has "
              + count
              + " words, a correction takes "
              + MAX_WORDS
              + "; split it");
    }
    return count;
  }

  private static List<WordLink> links(Correction correction) {
    return correction.getAlignment() == null ? List.of() : correction.getAlignment();
  }

  /** The number of words, separated by single spaces. */
  private static long words(String text) {
    return 1 + text.chars().filter(c -> c == ' ').count();
  }

  /**
   * The alignment cells of a correction: source words times target words; 0 if it has an alignment.
   *
   * @throws RecordException if it cannot be learned
   */
  public static long cells(Correction correction) {
    if (correction.getAlignment() != null) {
      return 0;
    }
    LearnedPair pair = pair(correction);
    return words(pair.source()) * words(pair.target());
  }

  private static String alignment(Correction correction) {
    List<WordLink> links = links(correction);
    if (links.size() > MAX_LINKS * 2 * MAX_WORDS) { // before work grows with their number
      throw tooManyLinks(links.size(), 2 * MAX_WORDS);
    }
    Set<String> points = new LinkedHashSet<>();
    for (WordLink link : links) {
      String point = link.getSource() + "-" + link.getTarget();
      if (!points.add(point)) {
        throw new RecordException(
            "the alignment is wrong: it has point " + point + " more than once");
      }
    }
    return String.join(" ", points);
  }

  private static RecordException tooManyLinks(int links, int words) {
    return new RecordException(
        "the alignment has "
            + links
            + " links, a pair of "
            + words
            + " words takes "
            + MAX_LINKS * words
            + "; align the words again");
  }

  /**
   * Normalizes a correction as {@link #pair} does: the white space around its texts or, if it has
   * an alignment, between its words. Adds no alignment.
   *
   * @throws RecordException saying what is wrong with it, without its id
   */
  public static Correction normalized(Correction correction) {
    LearnedPair pair = pair(correction);
    return pair.taught()
        .map(
            texts ->
                new Correction(
                    texts.id(), correction.getTime(), texts.source(), texts.target(), null))
        .orElseGet(() -> record(pair));
  }

  /** Adds the id of a correction to a problem. */
  public static String problem(String id, RecordException problem) {
    return "correction "
        + (id.length() <= MAX_ID ? id : id.substring(0, MAX_ID) + "...")
        + ": "
        + problem.getMessage();
  }

  /** Converts the words of a pair to a correction, the reverse of {@link #pair}. */
  public static Correction record(LearnedPair pair) {
    List<WordLink> links = new ArrayList<>();
    for (String link : pair.alignment().split(" ", -1)) {
      int dash = link.indexOf('-');
      if (dash > 0) {
        links.add(
            new WordLink(
                Integer.parseInt(link.substring(0, dash)),
                Integer.parseInt(link.substring(dash + 1))));
      }
    }
    return new Correction(
        pair.id(), Instant.ofEpochMilli(pair.time()), pair.source(), pair.target(), links);
  }

  /** The size of a correction: about its bytes in a record, if its text is ASCII. */
  public static int size(Correction correction) {
    return correction.getId().length()
        + correction.getSource().length()
        + correction.getTarget().length()
        + LINK_SIZE * links(correction).size();
  }

  /** Lists ids of corrections, for messages. */
  public static String ids(List<Correction> corrections) {
    StringJoiner ids = new StringJoiner(", ");
    corrections.stream().limit(SHOWN).map(Correction::getId).forEach(ids::add);
    if (corrections.size() > SHOWN) {
      ids.add("and " + (corrections.size() - SHOWN) + " more");
    }
    return ids.toString();
  }
}
