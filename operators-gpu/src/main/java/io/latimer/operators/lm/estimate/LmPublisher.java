package io.latimer.operators.lm.estimate;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.lm.arpa.LmImportReport;
import io.latimer.operators.lm.arpa.LmImportRequest;
import io.latimer.operators.lm.arpa.LmImporter;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.ngram.NgramCounts;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.TempFolder;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * Makes model files of counts and puts them into a folder, each under the name of its content: the
 * SHA-256 of its bytes, and {@code .llm}.
 *
 * <p>A name never shows half a file, and never another one. Equal counts, words, options and
 * versions make the same file, so that publishing again changes nothing. Nothing is ever removed:
 * what is referred to is not known here.
 */
public final class LmPublisher {
  private static final int BUFFER = 1 << 16;

  /**
   * A model that was published.
   *
   * @param ref where it is
   * @param bytes length of the file
   * @param estimate what came out of its estimation
   */
  public record Published(IndexRef ref, long bytes, EstimateReport estimate) {}

  private LmPublisher() {}

  /**
   * Publishes a model.
   *
   * @param counts of {@link EstimateLm#record}s; of the options' order
   * @param words the {@link EstimateLm#dictionary} of their words; the file's bytes depend on the
   *     order of ids
   * @param folder where the file is to be; made if it is not there
   * @param version stands in the file and the reference; at most 64 bytes of UTF-8, may be empty
   * @throws OperatorException if the discounts cannot be computed, or a file cannot be written
   */
  public static Published publish(
      NgramCounts counts,
      WordIds words,
      EstimateOptions options,
      LmLayout layout,
      Path folder,
      String version) {
    try {
      Files.createDirectories(folder);
      Path unnamed = folder.resolve("." + UUID.randomUUID() + ".tmp");
      try (TempFolder temporary = new TempFolder(options.tempFolder().orElse(null))) {
        Path arpa = temporary.file("arpa");
        EstimateReport report;
        try (OutputStream out =
            new BufferedOutputStream(
                Files.newOutputStream(arpa, StandardOpenOption.CREATE_NEW), BUFFER)) {
          report = EstimateLm.fromCounts(counts, words, out, options, EstimateProgress.NONE);
        }
        LmImportReport imported =
            LmImporter.importArpa(
                new LmImportRequest(arpa, unnamed, layout, LmImportRequest.DEFAULT_KEYS, version),
                (section, ngrams, total) -> {});
        return new Published(name(unnamed, folder), imported.fileBytes(), report);
      } finally {
        Files.deleteIfExists(unnamed);
      }
    } catch (IOException e) {
      throw new OperatorException(
          "a language model cannot be put into " + folder + ": " + FileErrors.reason(e), e);
    }
  }

  /** Gives a synced file the name of its content, in place of the same file that may have it. */
  private static IndexRef name(Path unnamed, Path folder) throws IOException {
    IndexRef found = IndexRefs.of(unnamed);
    Path named = folder.resolve(found.sha256() + ".llm");
    Files.move(unnamed, named, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel entries = FileChannel.open(folder)) {
      entries.force(true);
    }
    return new IndexRef(
        found.kind(), named.toAbsolutePath().normalize().toUri(), found.sha256(), found.version());
  }
}
