package io.latimer.pipelines.index;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.nmt.published.PublishedModel;
import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Model files of published models, which are imported when they are first used, and kept in the
 * folder of copies under a digest of what they were made from.
 */
public final class ImportedModels {
  private static final Logger LOG = LoggerFactory.getLogger(ImportedModels.class);

  /** Changes when the same model would become another file. */
  private static final String IMPORT = "import 2\n";

  private ImportedModels() {}

  /** Whether a path is that of a published model rather than of an index file. */
  public static boolean isOne(Path path) {
    return PublishedModel.isOne(path);
  }

  /**
   * The reference to a published model: its own location, with the content of its model file.
   *
   * @throws OperatorException if it cannot be imported
   */
  public static IndexRef ref(Path model, IndexSettings settings) {
    IndexRef file = IndexRefs.of(file(model, settings, found -> {}));
    return new IndexRef(
        file.kind(), model.toAbsolutePath().normalize().toUri(), file.sha256(), file.version());
  }

  /**
   * Opens the model file of a reference to a published model.
   *
   * @throws IndexFormatException if the model became another
   */
  static IndexFile open(IndexRef ref, IndexSettings settings) {
    Path model = IndexRefs.path(ref);
    Path file = file(model, settings, found -> {});
    try {
      return IndexRefs.open(new IndexRef(ref.kind(), file.toUri(), ref.sha256(), ref.version()));
    } catch (IndexFormatException e) {
      throw new IndexFormatException(model + ", as imported: " + e.getMessage(), e);
    }
  }

  /**
   * The model file of a published model.
   *
   * @param settings where copies are kept
   * @param starting called before an import, which may take minutes
   * @throws OperatorException if it cannot be imported
   */
  public static Path file(Path model, IndexSettings settings, Consumer<PublishedModel> starting) {
    PublishedModel published = PublishedModel.open(model);
    String digest = Sha256.of(IMPORT + published.digest());
    IndexFolder folder = IndexFolder.open(settings);
    try {
      ContentLock lock = folder.lock(digest);
      try {
        if (isSound(folder, digest)) {
          folder.touch(digest);
        } else {
          starting.accept(published);
          write(published, folder, digest);
        }
        return folder.copy(digest);
      } finally {
        lock.close();
      }
    } catch (IOException e) {
      throw new OperatorException(model + " cannot be imported: " + FileErrors.reason(e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OperatorException(model + ": interrupted while importing it", e);
    }
  }

  private static boolean isSound(IndexFolder folder, String digest) {
    if (!folder.has(digest)) {
      return false;
    }
    try {
      IndexFile.open(folder.copy(digest)).close();
      return true;
    } catch (IndexFormatException e) {
      LOG.warn("{} is damaged, and imported again: {}", folder.copy(digest), e.getMessage());
      return false;
    }
  }

  private static void write(PublishedModel model, IndexFolder folder, String digest)
      throws IOException {
    Path part = folder.newPart(digest);
    try {
      model.importTo(part, "");
      folder.keep(part, digest);
    } finally {
      Files.deleteIfExists(part);
    }
    folder.trim(digest::equals);
  }
}
