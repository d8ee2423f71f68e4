package io.latimer.operators.phrases.index;

import io.latimer.operators.RecordException;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.util.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A sentence pair that a job learned while it ran, such as a corrected translation, its word
 * alignment, and the texts that its words were prepared from.
 *
 * @param id names the correction that it comes from; any Unicode text
 * @param time of the correction, in milliseconds since 1970
 * @param source the words of the source sentence, 1 to {@link PhraseIndex#MAX_SENTENCE_WORDS}; kept
 *     with one space between two words
 * @param target the words of the target sentence, likewise
 * @param alignment links in Pharaoh's format, {@code 0-0 1-2}: places in the source and in the
 *     target sentence, from 0; empty if nothing is aligned. Kept sorted, each link once
 * @param rawSource the text of the source as it was taught, without white space around it; empty if
 *     only its words were
 * @param rawTarget the text of the target, likewise
 */
public record LearnedPair(
    String id,
    long time,
    String source,
    String target,
    String alignment,
    String rawSource,
    String rawTarget) {
  private static final String COLUMNS = "|||";

  /**
   * Makes a pair.
   *
   * @throws RecordException saying what is wrong with the id, the sentences or their alignment
   */
  public LearnedPair {
    if (Utf8.loneSurrogate(Objects.requireNonNull(id, "id")) >= 0) {
      throw new RecordException("the id is no Unicode text; it has half of a surrogate pair");
    }
    List<String> sourceWords = words("source", source);
    List<String> targetWords = words("target", target);
    SentencePair links = new SentencePair();
    byte[] line = alignment.getBytes(StandardCharsets.UTF_8);
    String bad =
        AlignmentLine.parse(line, line.length, sourceWords.size(), targetWords.size(), links);
    if (bad != null) {
      throw new RecordException("the alignment is wrong: " + bad);
    }
    source = String.join(" ", sourceWords);
    target = String.join(" ", targetWords);
    links.sortLinks();
    StringBuilder sorted = new StringBuilder();
    for (int i = 0; i < links.links(); i++) {
      sorted.append(i == 0 ? "" : " ").append(links.sourcePlace(i));
      sorted.append('-').append(links.targetPlace(i));
    }
    alignment = sorted.toString();
    rawSource = raw("source", rawSource);
    rawTarget = raw("target", rawTarget);
    if (rawSource.isEmpty() != rawTarget.isEmpty()) {
      throw new RecordException("one of the two texts is empty");
    }
  }

  /** Makes a pair of words without the texts that they are from. */
  public LearnedPair(String id, long time, String source, String target, String alignment) {
    this(id, time, source, target, alignment, "", "");
  }

  /** An unaligned pair of raw texts, whose words are those between white space. */
  public static LearnedPair ofTexts(String id, long time, String source, String target) {
    return new LearnedPair(id, time, source, target, "", source, target);
  }

  /** A copy with other words and no alignment, and the same texts. */
  public LearnedPair withWords(String sourceWords, String targetWords) {
    return new LearnedPair(id, time, sourceWords, targetWords, "", rawSource, rawTarget);
  }

  /** A copy with an alignment. */
  public LearnedPair aligned(String links) {
    return new LearnedPair(id, time, source, target, links, rawSource, rawTarget);
  }

  /** A copy with the texts that the words are from; empty ones for none. */
  public LearnedPair withTexts(String source, String target) {
    return new LearnedPair(id, time, this.source, this.target, alignment, source, target);
  }

  /** The texts as they were taught; empty if only their words were. */
  public Optional<TaughtPair> taught() {
    return rawSource.isEmpty()
        ? Optional.empty()
        : Optional.of(new TaughtPair(id, time, rawSource, rawTarget));
  }

  private static String raw(String side, String text) {
    requireUnicode(side, text);
    return text.strip();
  }

  private static void requireUnicode(String side, String sentence) {
    if (Utf8.loneSurrogate(sentence) >= 0) {
      throw new RecordException(
          "the " + side + " sentence is no Unicode text; it has half of a surrogate pair");
    }
  }

  private static List<String> words(String side, String sentence) {
    requireUnicode(side, sentence);
    List<String> words = WordIds.split(sentence);
    if (words.isEmpty()) {
      throw new RecordException("the " + side + " sentence has no words");
    }
    if (words.size() > SentencePair.MAX_WORDS) {
      throw new RecordException(
          "the "
              + side
              + " sentence has "
              + words.size()
              + " words, an index takes "
              + SentencePair.MAX_WORDS
              + "; split the sentence");
    }
    int columns = words.indexOf(COLUMNS);
    if (columns >= 0) {
      throw new RecordException(
          "word "
              + (columns + 1)
              + " of the "
              + side
              + " sentence is |||, which separates the columns of phrase tables; escape it");
    }
    return words;
  }

  /**
   * Fills a pair of ids, in the order of the source words, then of the target words.
   *
   * @param pair to fill
   * @param sourceIds gives source words their ids
   * @param targetIds gives target words their ids
   */
  void fill(SentencePair pair, ParallelReader.Words sourceIds, ParallelReader.Words targetIds) {
    pair.clear();
    WordRanges ranges = new WordRanges();
    byte[] bytes = source.getBytes(StandardCharsets.UTF_8);
    ranges.split(bytes, bytes.length);
    for (int word = 0; word < ranges.size(); word++) {
      pair.addSource(sourceIds.id(bytes, ranges.from(word), ranges.to(word)));
    }
    bytes = target.getBytes(StandardCharsets.UTF_8);
    ranges.split(bytes, bytes.length);
    for (int word = 0; word < ranges.size(); word++) {
      pair.addTarget(targetIds.id(bytes, ranges.from(word), ranges.to(word)));
    }
    byte[] line = alignment.getBytes(StandardCharsets.UTF_8);
    AlignmentLine.parse(line, line.length, pair.sourceWords(), pair.targetWords(), pair);
  }
}
