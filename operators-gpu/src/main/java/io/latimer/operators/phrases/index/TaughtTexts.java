package io.latimer.operators.phrases.index;

import io.latimer.operators.text.SentenceKey;
import io.latimer.operators.util.Utf8;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The section of an index file with the texts of learned pairs that it has, so that they come back
 * as they were taught. Specified in {@code docs/formats.md}.
 */
final class TaughtTexts {
  /** Maximum length of the section in bytes. */
  static final long MAX_BYTES = 1L << 30;

  private static final int HEADER = Long.BYTES + 3 * Integer.BYTES;

  private TaughtTexts() {}

  /**
   * Reads all pairs.
   *
   * @param section little-endian, not moved
   * @throws PhraseIndexException if it is not sound
   */
  static List<TaughtPair> read(ByteBuffer section) {
    List<TaughtPair> pairs = new ArrayList<>();
    ByteBuffer bytes = section.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining()) {
      int at = bytes.position();
      if (bytes.remaining() < HEADER) {
        throw bad(at, "is cut off");
      }
      long time = bytes.getLong();
      int id = bytes.getInt();
      int source = bytes.getInt();
      int target = bytes.getInt();
      if (id < 0 || source < 1 || target < 1 || (long) id + source + target > bytes.remaining()) {
        throw bad(at, "has lengths " + id + ", " + source + " and " + target);
      }
      pairs.add(
          new TaughtPair(
              text(bytes, id, at), time, text(bytes, source, at), text(bytes, target, at)));
    }
    return pairs;
  }

  private static String text(ByteBuffer bytes, int length, int pair) {
    String text = Utf8.decode(bytes.slice(bytes.position(), length));
    if (text == null) {
      throw bad(pair, "is not UTF-8");
    }
    bytes.position(bytes.position() + length);
    return text;
  }

  private static PhraseIndexException bad(int at, String what) {
    return PhraseIndexException.corrupt("the taught pair at byte " + at + " " + what);
  }

  /**
   * The bytes of a section with the pairs of an index and later ones, without those that a later
   * one of the same source replaces.
   *
   * @throws PhraseTextException if they are too long for a section
   */
  static byte[] write(List<TaughtPair> before, List<TaughtPair> later) {
    Map<SentenceKey, TaughtPair> newest = new LinkedHashMap<>();
    for (List<TaughtPair> pairs : List.of(before, later)) {
      for (TaughtPair pair : pairs) {
        SentenceKey key = SentenceKey.of(pair.source());
        newest.remove(key); // so that the order is that of learning
        newest.put(key, pair);
      }
    }
    List<byte[]> texts = new ArrayList<>();
    long length = 0;
    for (TaughtPair pair : newest.values()) {
      for (String text : List.of(pair.id(), pair.source(), pair.target())) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        texts.add(bytes);
        length += bytes.length;
      }
      length += HEADER;
    }
    if (length > MAX_BYTES) {
      throw new PhraseTextException(
          "the texts of learned pairs have "
              + length
              + " bytes, an index takes "
              + MAX_BYTES
              + "; build one from the parallel text");
    }
    ByteBuffer section = ByteBuffer.allocate((int) length).order(ByteOrder.LITTLE_ENDIAN);
    int at = 0;
    for (TaughtPair pair : newest.values()) {
      List<byte[]> of = texts.subList(at, at + 3);
      section.putLong(pair.time());
      of.forEach(text -> section.putInt(text.length));
      of.forEach(section::put);
      at += 3;
    }
    return section.array();
  }
}
