package io.latimer.operators.grammar.text;

import io.latimer.operators.grammar.index.GrammarFormatException;
import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.PackedFile;
import io.latimer.operators.util.Utf8;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The lines of a small grammar's file, all in memory. A line must be UTF-8 unless it is a comment:
 * old grammars name their authors in Latin-1.
 */
final class GrammarSource {
  private static final int BUFFER = 1 << 16;

  /** Maximum unpacked bytes of a file that is read into memory. */
  static final int MOST_BYTES = 1 << 28;

  private static final int JAVA_OBJECT = 0xACED;

  private GrammarSource() {}

  /**
   * Reads the lines of a file, plain or gzip, without their ends.
   *
   * @throws GrammarFormatException if it cannot be read, is too large or not text
   */
  static List<String> lines(Path file) {
    byte[] bytes;
    try (InputStream in = PackedFile.open(file, BUFFER)) {
      bytes = in.readNBytes(MOST_BYTES + 1);
    } catch (IOException e) {
      throw unreadable(file, e);
    }
    if (bytes.length > MOST_BYTES) {
      throw new GrammarFormatException(
          file + " has more than " + MOST_BYTES + " bytes; such a grammar needs the format rules");
    }
    requireText(file, bytes);
    List<String> lines = new ArrayList<>();
    for (int from = 0; from < bytes.length; ) {
      int end = from;
      while (end < bytes.length && bytes[end] != '\n') {
        end++;
      }
      int to = end > from && bytes[end - 1] == '\r' ? end - 1 : end;
      lines.add(decode(bytes, from, to, new SourceLine(file, lines.size() + 1L)));
      from = end + 1;
    }
    return lines;
  }

  /** See {@link #requireText(Path, byte[])}. */
  static void requireText(Path file) {
    try (InputStream in = PackedFile.open(file, BUFFER)) {
      requireText(file, in.readNBytes(2));
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  /** Refuses the Berkeley parser's own files, which are serialized Java objects. */
  private static void requireText(Path file, byte[] bytes) {
    if (bytes.length > 1 && (ByteBuffer.wrap(bytes).getShort() & 0xFFFF) == JAVA_OBJECT) {
      throw new GrammarFormatException(
          file
              + " is a serialized Java object; write it as text with the parser's"
              + " WriteGrammarToTextFile");
    }
  }

  static GrammarFormatException unreadable(Path file, IOException e) {
    return new GrammarFormatException(file + " cannot be read: " + FileErrors.reason(e), e);
  }

  private static String decode(byte[] bytes, int from, int to, SourceLine at) {
    String line = Utf8.decode(ByteBuffer.wrap(bytes, from, to - from));
    if (line != null) {
      return at.number() == 1 && line.startsWith("\uFEFF") ? line.substring(1) : line;
    }
    line = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    String text = line.strip();
    if (text.startsWith("#") || text.startsWith("//")) {
      return line;
    }
    throw at.error("not UTF-8; convert the file");
  }
}
