package io.latimer.operators.text;

import ai.djl.sentencepiece.jni.LibUtils;
import ai.djl.sentencepiece.jni.SentencePieceLibrary;
import io.latimer.operators.OperatorException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads the native library once per class loader, from a folder that only this user can read and
 * that has a new name each time: DJL's default is a predictable path that another user could
 * prepare. A new file also allows a second class loader to load it.
 *
 * <p>DJL's own processor class is not used, because its start-up queries the network to detect a
 * cloud machine.
 */
final class SentencePieceNative {
  private static final Logger LOG = LoggerFactory.getLogger(SentencePieceNative.class);

  /** The folder to which DJL unpacks its libraries. */
  private static final String FOLDER_PROPERTY = "ENGINE_CACHE_DIR";

  private static volatile boolean loaded;

  private SentencePieceNative() {}

  static SentencePieceLibrary library() {
    if (!loaded) {
      loadOnce();
    }
    return SentencePieceLibrary.LIB;
  }

  private static synchronized void loadOnce() {
    if (!loaded) {
      // The property is process-wide, and another class loader may be loading, too.
      synchronized (Runtime.getRuntime()) {
        load();
      }
      loaded = true;
    }
  }

  private static void load() {
    String before = System.getProperty(FOLDER_PROPERTY);
    try {
      // 0700 on POSIX file systems
      Path folder = Files.createTempDirectory("latimer-sentencepiece-");
      try {
        System.setProperty(FOLDER_PROPERTY, folder.toString());
        LibUtils.loadLibrary();
      } finally {
        delete(folder);
      }
    } catch (IOException | RuntimeException | LinkageError e) {
      throw new OperatorException(
          "the SentencePiece library cannot be loaded on "
              + System.getProperty("os.name")
              + " "
              + System.getProperty("os.arch")
              + ": "
              + e.getMessage()
              + "; java.io.tmpdir must be a folder that allows writing and executing",
          e);
    } finally {
      if (before == null) {
        System.clearProperty(FOLDER_PROPERTY);
      } else {
        System.setProperty(FOLDER_PROPERTY, before);
      }
    }
  }

  /** A loaded library no longer needs its file, except on Windows, where it is deleted at exit. */
  private static void delete(Path folder) throws IOException {
    List<Path> parentsFirst;
    try (Stream<Path> walk = Files.walk(folder)) {
      parentsFirst = walk.toList();
    }
    // The exit deletes in the reverse order of these calls, and a folder must be empty by then.
    parentsFirst.forEach(path -> path.toFile().deleteOnExit());
    for (int i = parentsFirst.size() - 1; i >= 0; i--) {
      File file = parentsFirst.get(i).toFile();
      if (!file.delete()) {
        LOG.debug("{} is still in use; it is deleted at exit", file);
      }
    }
  }
}
