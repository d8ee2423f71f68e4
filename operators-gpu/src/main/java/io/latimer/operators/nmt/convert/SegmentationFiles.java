package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.text.BpeSegmenter;
import io.latimer.operators.text.SentencePieceSegmenter;
import io.latimer.operators.text.TextSettings.Segmentation;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The SentencePiece models or BPE codes that lie beside a published model under one of the names in
 * use. Which of the two a file is, its content says: {@code bpe.model} may be either.
 *
 * @param kind of both sides
 * @param sourceFile name of the source's file in its folder; empty if there is none
 * @param source its bytes; empty if there is none
 * @param targetFile name of the target's file, which may be the source's
 * @param target its bytes
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record SegmentationFiles(
    Segmentation kind, String sourceFile, byte[] source, String targetFile, byte[] target) {
  private static final List<String> SIDES = List.of("spm", "model", "bpe");
  private static final List<String> SHARED =
      List.of(
          "sentencepiece.bpe.model",
          "sentencepiece.model",
          "spiece.model",
          "spm.model",
          "bpe.model",
          "bpe.codes");

  /** First byte of a SentencePiece model: the field of its first piece. */
  private static final byte FIRST_FIELD = 0x0a;

  /** Whether a file could be one, by its name. */
  public static boolean isRead(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.endsWith(".codes") || SIDES.stream().anyMatch(end -> name.endsWith("." + end));
  }

  /**
   * Reads the files of a folder.
   *
   * @return of kind {@link Segmentation#NONE} if there are none
   * @throws ModelFormatException if one is damaged, one side lacks its file, or there are several
   *     under other names
   */
  public static SegmentationFiles in(Path folder) {
    Optional<Path> source = side(folder, "source");
    Optional<Path> target = side(folder, "target");
    if (source.isPresent() != target.isPresent()) {
      throw new ModelFormatException(
          folder
              + ": expected segmentation files of source and target, found only "
              + source.or(() -> target).orElseThrow().getFileName());
    }
    Optional<Path> shared = source.isPresent() ? source : shared(folder);
    if (shared.isEmpty()) {
      return new SegmentationFiles(Segmentation.NONE, "", new byte[0], "", new byte[0]);
    }
    Path from = shared.get();
    Path to = target.orElse(from);
    byte[] bytes = read(from);
    byte[] other = to.equals(from) ? bytes : read(to);
    Segmentation kind = kind(from, bytes);
    if (kind(to, other) != kind) {
      throw new ModelFormatException(
          folder + ": expected two SentencePiece models or two BPE codes, found one of each");
    }
    return new SegmentationFiles(
        kind, from.getFileName().toString(), bytes, to.getFileName().toString(), other);
  }

  /**
   * Reads a SentencePiece model.
   *
   * @throws ModelFormatException if it cannot be read
   * @throws io.latimer.operators.OperatorException if it is not one
   */
  public static byte[] sentencePiece(Path file) {
    byte[] bytes = read(file);
    SentencePieceSegmenter.of(bytes, file.toString()).close();
    return bytes;
  }

  private static Optional<Path> side(Path folder, String side) {
    return SIDES.stream()
        .map(end -> folder.resolve(side + "." + end))
        .filter(Files::isRegularFile)
        .findFirst();
  }

  private static Optional<Path> shared(Path folder) {
    Optional<Path> known =
        SHARED.stream().map(folder::resolve).filter(Files::isRegularFile).findFirst();
    if (known.isPresent()) {
      return known;
    }
    List<Path> others;
    try (Stream<Path> files = Files.list(folder)) {
      others =
          files
              .filter(SegmentationFiles::isRead)
              .filter(Files::isRegularFile)
              .sorted()
              .limit(2)
              .toList();
    } catch (IOException e) {
      throw new ModelFormatException(folder + " cannot be read: " + FileErrors.reason(e), e);
    }
    if (others.size() > 1) {
      throw new ModelFormatException(
          folder
              + ": expected one segmentation file, or source.spm and target.spm, found "
              + others.get(0).getFileName()
              + " and "
              + others.get(1).getFileName());
    }
    return others.stream().findFirst();
  }

  private static byte[] read(Path file) {
    try {
      if (Files.size(file) > SentencePieceSegmenter.MAX_BYTES) {
        throw new ModelFormatException(
            file
                + ": expected at most "
                + SentencePieceSegmenter.MAX_BYTES
                + " bytes, found "
                + Files.size(file));
      }
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new ModelFormatException(file + " cannot be read: " + FileErrors.reason(e), e);
    }
  }

  private static Segmentation kind(Path file, byte[] bytes) {
    if (bytes.length > 0 && bytes[0] == FIRST_FIELD) {
      SentencePieceSegmenter.of(bytes, file.toString()).close();
      return Segmentation.SPM;
    }
    if (BpeSegmenter.of(bytes, file.toString()).merges() == 0) {
      throw new ModelFormatException(file + ": expected a SentencePiece model or BPE codes");
    }
    return Segmentation.BPE;
  }
}
