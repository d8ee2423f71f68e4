package io.latimer.cli.lm;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.terminal.ByteProgress;
import io.latimer.operators.lm.LmTexts;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoredTexts;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Feeds lines, which only line feeds end, to a scorer in batches; in smaller ones if no more input
 * is available yet, so that results do not wait for it.
 */
final class ScoreInput {
  private static final int BATCH_BYTES = 1 << 22;
  private static final int READ_PIECE = 1 << 16;

  /** Maximum length of a line in bytes. */
  static final int MAX_LINE = 1 << 26;

  private final Score score;
  private final Sink sink;
  private final List<byte[]> batch = new ArrayList<>();
  private int batchBytes;
  private byte[] line = new byte[1 << 10];
  private int lineBytes;
  private long lines;

  /** Receives the scores. */
  interface Sink {
    /**
     * Receives lines and their scores.
     *
     * @param lines without their line feeds
     */
    void take(List<byte[]> lines, ScoredTexts scores);
  }

  private ScoreInput(Score score, Sink sink) {
    this.score = score;
    this.sink = sink;
  }

  /** Scores a stream until its end. */
  static void run(InputStream in, Score score, ByteProgress progress, Sink sink)
      throws IOException {
    ScoreInput input = new ScoreInput(score, sink);
    byte[] piece = new byte[READ_PIECE];
    int read;
    while ((read = in.read(piece)) >= 0) {
      input.add(piece, read);
      progress.add(read);
      if (input.batchBytes >= BATCH_BYTES || in.available() == 0) {
        input.flush();
      }
    }
    if (input.lineBytes > 0) {
      input.endLine();
    }
    input.flush();
  }

  private void add(byte[] bytes, int count) {
    int from = 0;
    for (int i = 0; i < count; i++) {
      if (bytes[i] == '\n') {
        append(bytes, from, i);
        endLine();
        from = i + 1;
      }
    }
    append(bytes, from, count);
  }

  private void append(byte[] bytes, int from, int to) {
    int length = to - from;
    if (length > MAX_LINE - lineBytes) {
      throw new CommandException(
          "line " + (lines + 1) + " has more than " + MAX_LINE + " bytes; break it into sentences");
    }
    if (lineBytes + length > line.length) {
      line = Arrays.copyOf(line, Math.max(lineBytes + length, 2 * line.length));
    }
    System.arraycopy(bytes, from, line, lineBytes, length);
    lineBytes += length;
  }

  private void endLine() {
    batch.add(Arrays.copyOf(line, lineBytes));
    batchBytes += lineBytes + 1;
    lineBytes = 0;
    lines++;
  }

  private void flush() {
    if (batch.isEmpty()) {
      return;
    }
    sink.take(batch, score.score(LmTexts.of(batch)));
    batch.clear();
    batchBytes = 0;
  }
}
