package io.latimer.operators.nmt.cpu;

import io.latimer.operators.OperatorException;
import io.latimer.operators.util.PrivateFolder;
import io.latimer.operators.util.Team;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.openblas.global.openblas_nolapack;

/**
 * Matrix products by OpenBLAS, loaded once per process.
 *
 * <p>OpenBLAS' own threads are disabled: they spin while they wait, which can slow down a product a
 * hundredfold on a busy machine. A {@link Team} shares the work instead.
 *
 * <p>The native library is unpacked into a folder that only this user can write: {@code
 * latimer/natives} in the user's cache folder, or a fresh private temporary folder if there is
 * none. The system property {@code org.bytedeco.javacpp.cachedir} overrides the folder.
 */
final class OpenBlas {
  private static final String CACHE = "org.bytedeco.javacpp.cachedir";
  private static final int COLUMN_MAJOR = 102;
  private static final int AS_IS = 111;
  private static final int TRANSPOSED = 112;

  static {
    setIfAbsent(CACHE, privateFolder());
    // JavaCPP would limit memory by the size of the whole process, including heap and mapped files
    setIfAbsent("org.bytedeco.javacpp.maxPhysicalBytes", "0");
    setIfAbsent("org.bytedeco.javacpp.maxBytes", "0");
    try {
      openblas_nolapack.blas_set_num_threads(1);
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

  /** Loads the library unless it is already loaded. */
  static void load() {
    // the static initializer does it
  }

  /**
   * Computes {@code c = w·aᵀ}: the product {@code a·wᵀ} with one output in each row of c.
   *
   * @param rows rows of a, columns of c
   * @param outputs rows of w, rows of c
   * @param inputs columns of a and of w
   * @param a rows x inputs, row major
   * @param w outputs x inputs, row major
   * @param c outputs x rows, row major
   */
  static void multiply(
      int rows, int outputs, int inputs, FloatPointer a, FloatPointer w, FloatPointer c) {
    // In OpenBLAS' own column-major order: c is rows x outputs, w is not transposed, a is
    openblas_nolapack.cblas_sgemm(
        COLUMN_MAJOR,
        TRANSPOSED,
        AS_IS,
        rows,
        outputs,
        inputs,
        1f,
        a,
        inputs,
        w,
        inputs,
        0f,
        c,
        rows);
  }

  /** The dot product of n values each. */
  static float dot(int n, FloatPointer a, FloatPointer b) {
    return openblas_nolapack.cblas_sdot(n, a, 1, b, 1);
  }

  private static void setIfAbsent(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }

  private static String privateFolder() {
    try {
      String set = System.getenv("XDG_CACHE_HOME");
      Path home = Path.of(System.getProperty("user.home", ""));
      Path cache = set == null || set.isEmpty() ? home.resolve(".cache") : Path.of(set);
      if (cache.isAbsolute() && Files.isWritable(Files.exists(cache) ? cache : home)) {
        try {
          return PrivateFolder.of(cache.resolve("latimer").resolve("natives")).toString();
        } catch (FileSystemException e) {
          // not this user's alone; a temporary one is
        }
      }
      return Files.createTempDirectory("latimer-natives").toString();
    } catch (IOException e) {
      throw new OperatorException(
          "no private folder to unpack OpenBLAS into; set one with -D" + CACHE + ": " + e, e);
    }
  }
}
