package io.latimer.pipelines.feed.caption;

import io.latimer.operators.text.SentenceSplitter;
import java.util.ArrayList;
import java.util.List;

/**
 * Joins cues into sentences. A sentence may span several cues, and a cue several sentences; the
 * time of a cue is divided among its sentences in proportion to their lengths.
 */
public final class CaptionSentences {
  /** Maximum length of captions without punctuation, in UTF-16 code units; longer ones are cut. */
  private static final int MAX_LENGTH = 1_000;

  /** A dummy sentence to append, before which the splitter splits if the text is complete. */
  private static final String NEXT = "Xx";

  private final SentenceSplitter splitter;
  private final long maxGapMillis;
  private final List<Part> parts = new ArrayList<>();
  private StringBuilder text = new StringBuilder();

  /**
   * A cue and its position in the file.
   *
   * @param number of the cue
   * @param line of the file that it begins in, from 0
   * @param from offset of the cue's first byte
   * @param repeated length of the prefix of its text that the previous cue shows, too
   * @param skipped length of the prefix of its text that is part of earlier sentences, or repeated
   */
  public record Placed(Cue cue, long number, long line, long from, int repeated, int skipped) {
    Placed skipping(int beginning) {
      return new Placed(cue, number, line, from, repeated, beginning);
    }
  }

  /**
   * A sentence.
   *
   * @param number of its first cue
   * @param line of the file that this cue begins in, from 0
   * @param within length of the prefix of that cue's text that is part of earlier sentences
   * @param next the place after it
   */
  public record Joined(
      String text, CaptionShares shares, long number, long line, int within, Place next) {}

  /**
   * A place in the captions.
   *
   * @param offset of a cue
   * @param number of that cue
   * @param skipped length of the prefix of its text before the place
   * @param repeated length of the prefix of its text that the previous cue shows, too
   */
  public record Place(long offset, long number, int skipped, int repeated) {}

  /** A cue in the pending text, in which it starts at {@code begin}. */
  private record Part(Placed cue, int begin) {
    int length() {
      return cue.cue().text().length() - cue.skipped();
    }

    int end() {
      return begin + length();
    }

    /** The time of a place in the text; repeated text takes no time. */
    long millis(int at) {
      int length = cue.cue().text().length() - cue.repeated();
      long duration = cue.cue().endMillis() - cue.cue().startMillis();
      int within = Math.max(0, Math.min(length, at - begin + cue.skipped() - cue.repeated()));
      return cue.cue().startMillis() + (length == 0 ? 0 : duration * within / length);
    }
  }

  /**
   * Creates an empty joiner.
   *
   * @param language BCP 47, for abbreviations; may be empty
   * @param maxGapMillis a longer time without a cue ends a sentence
   */
  public CaptionSentences(String language, long maxGapMillis) {
    this.splitter = new SentenceSplitter(language);
    this.maxGapMillis = maxGapMillis;
  }

  /** Whether there is an incomplete sentence. */
  public boolean isWaiting() {
    return !parts.isEmpty();
  }

  /** Adds a cue and returns the sentences that are complete with it. */
  public List<Joined> add(Placed cue) {
    List<Joined> sentences = new ArrayList<>();
    if (!parts.isEmpty()) {
      Cue before = parts.get(parts.size() - 1).cue().cue();
      long gap = cue.cue().startMillis() - before.endMillis();
      if (gap > maxGapMillis || gap < -maxGapMillis) { // or the times start over
        sentences.addAll(end());
      }
    }
    String rest = cue.cue().text().substring(Math.min(cue.skipped(), cue.cue().text().length()));
    if (rest.isEmpty()) {
      return sentences;
    }
    Cue.join(text, rest);
    parts.add(new Part(cue, text.length() - rest.length()));
    sentences.addAll(complete());
    if (text.length() > MAX_LENGTH) {
      sentences.addAll(end());
    }
    return sentences;
  }

  private List<Joined> complete() {
    // only a following sentence shows whether the last one is complete
    List<SentenceSplitter.Piece> pieces = splitter.split(text + " " + NEXT, true);
    List<Joined> sentences = new ArrayList<>();
    int begin = 0;
    for (SentenceSplitter.Piece piece : pieces.subList(0, pieces.size() - 1)) {
      int end = begin + piece.before().length() + piece.text().length();
      sentences.add(sentence(begin, end));
      begin = end;
    }
    if (begin > 0) {
      drop(begin);
    }
    return sentences;
  }

  /** Ends the incomplete sentence, if there is one. */
  public List<Joined> end() {
    if (parts.isEmpty()) {
      return List.of();
    }
    Joined sentence = sentence(0, text.length());
    parts.clear();
    text = new StringBuilder();
    return List.of(sentence);
  }

  private Joined sentence(int from, int end) {
    int begin = from;
    while (begin < end && Character.isWhitespace(text.charAt(begin))) {
      begin++;
    }
    List<CaptionShares.Share> shares = new ArrayList<>();
    long number = -1;
    long line = -1;
    int within = 0;
    Place next = null;
    for (Part part : parts) {
      int partBegin = Math.max(begin, part.begin());
      int partEnd = Math.min(end, part.end());
      if (partEnd > partBegin) {
        if (number < 0) {
          number = part.cue().number();
          line = part.cue().line();
          within = partBegin - part.begin() + part.cue().skipped();
        }
        // a space between two cues belongs to the later one
        int length = partEnd - (shares.isEmpty() ? partBegin : covered(begin, shares));
        shares.add(new CaptionShares.Share(part.millis(partBegin), part.millis(partEnd), length));
      }
      if (next == null && part.end() > end) {
        next =
            new Place(
                part.cue().from(),
                part.cue().number(),
                Math.max(0, end - part.begin()) + part.cue().skipped(),
                part.cue().repeated());
      }
    }
    if (next == null) {
      // not after the cue, because the next one may repeat its lines
      Placed last = parts.get(parts.size() - 1).cue();
      next = new Place(last.from(), last.number(), last.cue().text().length(), last.repeated());
    }
    return new Joined(
        text.substring(begin, end), new CaptionShares(shares), number, line, within, next);
  }

  private static int covered(int begin, List<CaptionShares.Share> shares) {
    return begin + shares.stream().mapToInt(CaptionShares.Share::length).sum();
  }

  /** Removes text that has become sentences. */
  private void drop(int end) {
    List<Part> kept = new ArrayList<>();
    int cut = end;
    while (cut < text.length() && Character.isWhitespace(text.charAt(cut))) {
      cut++;
    }
    for (Part part : parts) {
      if (part.end() > cut) {
        int skipped = part.cue().skipped() + Math.max(0, cut - part.begin());
        kept.add(new Part(part.cue().skipping(skipped), Math.max(0, part.begin() - cut)));
      }
    }
    parts.clear();
    parts.addAll(kept);
    text = new StringBuilder(text.substring(cut));
  }
}
