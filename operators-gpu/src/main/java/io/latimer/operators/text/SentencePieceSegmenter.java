package io.latimer.operators.text;

import ai.djl.sentencepiece.jni.SentencePieceLibrary;
import io.latimer.operators.OperatorException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * SentencePiece (Kudo and Richardson, 2018). The native library makes the pieces; joining is done
 * here, because the library replaces unknown text with a marker of its own.
 */
public final class SentencePieceSegmenter implements Segmenter {
  /** The longest model file that is read. */
  public static final int MAX_BYTES = SentencePieceModel.MAX_BYTES;

  private static final char SPACE = '\u2581';

  /** More than most hosts have cores. */
  private static final int LOCKS = 64;

  private final String[] pieces;
  private final int unknown;
  private final Set<String> silent = new HashSet<>();
  private final Map<String, Integer> bytes = new HashMap<>();

  /**
   * A segmenting thread holds one of these locks, closing takes all of them: threads rarely share
   * one.
   */
  private final ReadWriteLock[] locks = new ReadWriteLock[LOCKS];

  private long handle;

  private SentencePieceSegmenter(SentencePieceModel model, long handle) {
    this.handle = handle;
    this.pieces =
        model.pieces().stream().map(SentencePieceModel.Piece::text).toArray(String[]::new);
    this.unknown = model.unkId();
    Arrays.setAll(locks, i -> new ReentrantReadWriteLock());
    for (SentencePieceModel.Piece piece : model.pieces()) {
      switch (piece.type()) {
        case CONTROL -> silent.add(piece.text());
        case BYTE -> bytes.put(piece.text(), Integer.decode(piece.text().replaceAll("[<>]", "")));
        default -> {
          // a piece that stands for its text
        }
      }
    }
  }

  /**
   * Loads a model into native memory.
   *
   * @param model the bytes of a SentencePiece model file
   * @param name of the file, for messages
   * @throws OperatorException when it is not a model, or the native library cannot be loaded
   */
  public static SentencePieceSegmenter of(byte[] model, String name) {
    SentencePieceModel parsed = SentencePieceModel.parse(model, name);
    SentencePieceLibrary library = SentencePieceNative.library();
    long handle = library.createSentencePieceProcessor();
    try {
      library.loadModelFromBytes(handle, model);
      return new SentencePieceSegmenter(parsed, handle);
    } catch (RuntimeException e) {
      library.deleteSentencePieceProcessor(handle);
      throw new OperatorException(
          name + " is refused by SentencePiece: " + e.getMessage() + "; export the model again", e);
    }
  }

  /**
   * The pieces of a model, in the order of its ids.
   *
   * @throws OperatorException if it is not a model
   */
  public static List<String> pieces(byte[] model, String name) {
    return SentencePieceModel.parse(model, name).pieces().stream()
        .map(SentencePieceModel.Piece::text)
        .toList();
  }

  @Override
  public List<String> segment(String line) {
    Lock lock = locks[(int) Thread.currentThread().getId() & (LOCKS - 1)].readLock();
    lock.lock();
    try {
      if (handle == 0) {
        throw new OperatorException("the SentencePiece model has been closed");
      }
      return tokens(line);
    } finally {
      lock.unlock();
    }
  }

  /** Requests ids, which cost half as much as strings, unless a piece is unknown text. */
  private List<String> tokens(String line) {
    int[] ids = SentencePieceNative.library().encode(handle, line);
    String[] tokens = new String[ids.length];
    for (int i = 0; i < ids.length; i++) {
      if (ids[i] == unknown) {
        return plainTokens(line);
      }
      tokens[i] = pieces[ids[i]];
    }
    return List.of(tokens);
  }

  /** The tokens as strings from the library. */
  List<String> plainTokens(String line) {
    return List.of(SentencePieceNative.library().tokenize(handle, line));
  }

  @Override
  public String join(List<String> tokens) {
    StringBuilder line = new StringBuilder();
    if (bytes.isEmpty()) {
      for (String token : tokens) {
        line.append(silent.contains(token) ? "" : token);
      }
      return line.toString().replace(SPACE, ' ').strip();
    }
    ByteArrayOutputStream pending = new ByteArrayOutputStream();
    for (String token : tokens) {
      Integer value = bytes.get(token);
      if (value != null) {
        pending.write(value);
        continue;
      }
      flush(pending, line);
      if (!silent.contains(token)) {
        line.append(token.replace(SPACE, ' '));
      }
    }
    flush(pending, line);
    return line.toString().strip();
  }

  @Override
  public List<String> surfaces(List<String> tokens) {
    List<String> surfaces = new ArrayList<>(tokens.size());
    int at = 0;
    while (at < tokens.size()) {
      String token = tokens.get(at);
      int end = at + 1;
      if (bytes.containsKey(token)) {
        while (end < tokens.size() && bytes.containsKey(tokens.get(end))) {
          end++;
        }
        surfaces.add(join(tokens.subList(at, end)));
      } else {
        surfaces.add(surface(token));
      }
      while (++at < end) {
        surfaces.add(null);
      }
    }
    return surfaces;
  }

  /** As {@link #join} of one token that is no byte; most begin with a space or have none. */
  private String surface(String token) {
    int start = token.indexOf(SPACE) == 0 ? 1 : 0;
    return token.indexOf(SPACE, start) >= 0 || silent.contains(token)
        ? join(List.of(token))
        : token.substring(start).strip();
  }

  private static void flush(ByteArrayOutputStream pending, StringBuilder line) {
    if (pending.size() > 0) {
      line.append(pending.toString(StandardCharsets.UTF_8));
      pending.reset();
    }
  }

  @Override
  public boolean startsWord(String before, String token) {
    return before == null || token.indexOf(SPACE) == 0;
  }

  @Override
  public void close() {
    for (ReadWriteLock lock : locks) {
      lock.writeLock().lock();
    }
    try {
      if (handle != 0) {
        SentencePieceNative.library().deleteSentencePieceProcessor(handle);
        handle = 0;
      }
    } finally {
      for (ReadWriteLock lock : locks) {
        lock.writeLock().unlock();
      }
    }
  }
}
