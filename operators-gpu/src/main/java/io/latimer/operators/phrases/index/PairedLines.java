package io.latimer.operators.phrases.index;

import io.latimer.operators.util.Closer;
import java.nio.file.Path;

/** Reads the corresponding lines of two text files, plain or gzip, a pair at a time. */
public final class PairedLines implements AutoCloseable {
  private final TextLines source;
  private final TextLines target;
  private final Closer closer = new Closer();

  /**
   * Opens the files.
   *
   * @throws PhraseTextException if one cannot be read
   */
  public PairedLines(Path source, Path target) {
    try {
      this.source = closer.add(new TextLines(source));
      this.target = closer.add(new TextLines(target));
    } catch (RuntimeException | Error e) {
      closer.closeAfter(e);
      throw e;
    }
  }

  /**
   * Reads the next line of both.
   *
   * @return false at the end of the files
   * @throws PhraseTextException if a file cannot be read, or a line is too long, not UTF-8 or
   *     missing in the other file, naming file and line
   */
  public boolean next() {
    boolean more = source.next();
    if (more != target.next()) {
      TextLines longer = more ? source : target;
      throw new PhraseTextException(
          (more ? target : source).file()
              + " ends before line "
              + longer.number()
              + ", "
              + longer.file()
              + " does not; the two files need one line per sentence pair");
    }
    if (more) {
      check(source);
      check(target);
    }
    return more;
  }

  private static void check(TextLines line) {
    String bad = line.tooLong();
    bad = bad == null ? line.notUtf8() : bad;
    if (bad != null) {
      throw new PhraseTextException(bad);
    }
  }

  /** The line of the source file. */
  public TextLines source() {
    return source;
  }

  /** The line of the target file. */
  public TextLines target() {
    return target;
  }

  /** Bytes of text read so far, unpacked, of both files. */
  public long bytesRead() {
    return source.bytesRead() + target.bytesRead();
  }

  @Override
  public void close() {
    closer.close();
  }
}
