package io.latimer.operators.nmt.convert.argos;

import io.latimer.operators.OperatorException;
import io.latimer.operators.nmt.convert.ImportReport;
import io.latimer.operators.nmt.convert.ImportableModel;
import io.latimer.operators.nmt.convert.ZipArchive;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.TempFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * A package of Argos Translate, {@code .argosmodel}: a zip file of one folder with a model of
 * CTranslate2, its tokenizer and {@code metadata.json}. What a translation needs is unpacked to a
 * temporary folder, which is removed afterwards.
 *
 * <p>Files are untrusted; see {@link ZipArchive} for what is checked.
 *
 * <p>Source: argosopentech/argos-translate, argostranslate/package.py.
 */
public final class ArgosPackage implements ImportableModel {
  private static final String KIND = "an Argos package";
  private static final String SUFFIX = ".argosmodel";

  /** What macOS adds to zip files. */
  private static final String RESOURCES = "__MACOSX/";

  private static final String MODEL = "model/";

  private final Path file;

  private ArgosPackage(Path file) {
    this.file = file;
  }

  /** Whether a path has the name of one; it may not exist. */
  public static boolean isOne(Path path) {
    return String.valueOf(path.getFileName()).toLowerCase(Locale.ROOT).endsWith(SUFFIX)
        && !Files.isDirectory(path);
  }

  /**
   * Opens a package and checks its directory.
   *
   * @throws ModelFormatException if it cannot be read, or is not a sound zip file
   */
  public static ArgosPackage open(Path file) {
    ZipArchive.open(file, KIND).close();
    return new ArgosPackage(file);
  }

  @Override
  public List<Path> files() {
    return List.of(file);
  }

  @Override
  public List<String> describe() {
    return unpacked(ArgosFolder::describe);
  }

  @Override
  public ImportReport importTo(Path out, String version) {
    return unpacked(folder -> folder.importTo(out, version));
  }

  /** Unpacks the package, uses it, and removes it; errors name the package. */
  private <T> T unpacked(Function<ArgosFolder, T> use) {
    try (TempFolder temp = new TempFolder(null)) {
      Path folder = temp.folder();
      try {
        unpack(folder);
        return use.apply(ArgosFolder.open(folder));
      } catch (OperatorException e) {
        String message = e.getMessage().replace(folder.toString(), file.toString());
        boolean named = message.startsWith(file.toString());
        throw new ModelFormatException(named ? message : file + ": " + message, e);
      }
    } catch (IOException e) {
      throw new ModelFormatException(file + " cannot be unpacked: " + FileErrors.reason(e), e);
    }
  }

  private void unpack(Path folder) throws IOException {
    try (ZipArchive zip = ZipArchive.open(file, KIND)) {
      String top = top(zip.names());
      Files.createDirectory(folder.resolve(MODEL));
      for (String name : needed(zip.names(), top)) {
        zip.extract(name, folder.resolve(name.substring(top.length())));
      }
    }
  }

  private String top(Set<String> names) {
    Set<String> tops = new TreeSet<>();
    for (String name : names) {
      if (!name.startsWith(RESOURCES)) {
        tops.add(name.substring(0, name.indexOf('/') + 1));
      }
    }
    if (tops.size() != 1 || tops.contains("")) {
      throw new ModelFormatException(
          file + ": expected one folder with all files, found " + (tops.isEmpty() ? "none" : tops));
    }
    return tops.iterator().next();
  }

  /** The entries that an import may read: no folders, none within others. */
  private static List<String> needed(Set<String> names, String top) {
    List<String> needed = new ArrayList<>();
    for (String name : names) {
      String inner = name.startsWith(top) ? name.substring(top.length()) : "";
      String plain = inner.startsWith(MODEL) ? inner.substring(MODEL.length()) : inner;
      if (!plain.isEmpty() && plain.indexOf('/') < 0 && ArgosFolder.isRead(inner)) {
        needed.add(name);
      }
    }
    return needed;
  }
}
