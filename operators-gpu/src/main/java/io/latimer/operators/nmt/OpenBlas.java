package io.latimer.operators.nmt;

import io.latimer.operators.OperatorException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.openblas.global.openblas_nolapack;

/**
 * Matrix products by OpenBLAS, loaded once a process.
 *
 * <p>The native library is unpacked into a folder that only this user can write: {@code
 * latimer/natives} in the user's cache folder, or a fresh private temporary folder where there is
 * none. The system property {@code org.bytedeco.javacpp.cachedir} names another.
 *
 * <p>The number of threads is the process', not an operator's: all cores unless the system property
 * {@code latimer.cpu.threads} or {@link #setThreads} says otherwise.
 */
public final class OpenBlas {
  private static final String CACHE = "org.bytedeco.javacpp.cachedir";
  private static final String THREADS = "latimer.cpu.threads";
  private static final int ROW_MAJOR = 101;
  private static final int AS_IS = 111;
  private static final int TRANSPOSED = 112;

  static {
    if (System.getProperty(CACHE) == null) {
      System.setProperty(CACHE, privateFolder().toString());
    }
    // JavaCPP would refuse memory by the size of the whole process, heap and file mappings included
    if (System.getProperty("org.bytedeco.javacpp.maxPhysicalBytes") == null) {
      System.setProperty("org.bytedeco.javacpp.maxPhysicalBytes", "0");
    }
    if (System.getProperty("org.bytedeco.javacpp.maxBytes") == null) {
      System.setProperty("org.bytedeco.javacpp.maxBytes", "0");
    }
    try {
      openblas_nolapack.blas_set_num_threads(
          Integer.getInteger(THREADS, Runtime.getRuntime().availableProcessors()));
    } catch (LinkageError e) {
      throw new OperatorException(
          "OpenBLAS cannot be loaded on "
              + System.getProperty("os.name")
              + " "
              + System.getProperty("os.arch")
              + "; build with the natives of this platform (-Dlatimer.natives=...): "
              + e.getMessage(),
          e);
    }
  }

  private OpenBlas() {}

  /** Sets the threads of every matrix product of this process; at least 1. */
  public static void setThreads(int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException("threads must be at least 1, found " + threads);
    }
    openblas_nolapack.blas_set_num_threads(threads);
  }

  /** The threads of every matrix product of this process. */
  public static int threads() {
    return openblas_nolapack.blas_get_num_threads();
  }

  /** Loads the library, if it is not loaded yet. */
  static void load() {
    // the static initializer does it
  }

  /**
   * Computes {@code c = a·b} or {@code c = a·bᵀ}, all row major and without gaps.
   *
   * @param a m x k
   * @param b k x n, or n x k if transposed
   * @param c m x n
   */
  static void multiply(
      int m, int n, int k, FloatPointer a, FloatPointer b, boolean transposed, FloatPointer c) {
    openblas_nolapack.cblas_sgemm(
        ROW_MAJOR,
        AS_IS,
        transposed ? TRANSPOSED : AS_IS,
        m,
        n,
        k,
        1f,
        a,
        k,
        b,
        transposed ? k : n,
        0f,
        c,
        n);
  }

  private static Path privateFolder() {
    try {
      String home = System.getProperty("user.home", "");
      String cache = System.getenv("XDG_CACHE_HOME");
      Path base = cache != null && !cache.isEmpty() ? Path.of(cache) : Path.of(home, ".cache");
      if (base.isAbsolute() && (Files.isWritable(base) || Files.isWritable(base.getParent()))) {
        Path folder = base.resolve("latimer").resolve("natives");
        Files.createDirectories(folder);
        if (isPrivate(folder)) {
          return folder;
        }
      }
      return Files.createTempDirectory("latimer-natives");
    } catch (IOException e) {
      throw new OperatorException(
          "no private folder to unpack OpenBLAS into; name one by -D" + CACHE + ": " + e, e);
    }
  }

  private static boolean isPrivate(Path folder) throws IOException {
    if (!Files.getFileStore(folder).supportsFileAttributeView("posix")) {
      return true;
    }
    boolean mine =
        Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS)
            .equals(
                Files.getOwner(
                    Path.of(System.getProperty("user.home")), LinkOption.NOFOLLOW_LINKS));
    if (!mine || !Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    return Files.getPosixFilePermissions(folder)
        .equals(Set.copyOf(PosixFilePermissions.fromString("rwx------")));
  }
}
