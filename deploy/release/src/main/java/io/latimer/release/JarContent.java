package io.latimer.release;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * What matters for licences in a jar and in the jars inside it.
 *
 * @param natives the paths of native libraries and programs, found by their first bytes
 * @param texts licence and notice files by path, without {@code META-INF/}
 */
record JarContent(List<String> natives, Map<String, byte[]> texts) {
  private static final Pattern TEXT =
      Pattern.compile(
          "(?i)(?:.*/)?(?:(?:[^/]*-)?licen[sc]e|notice|copying|copyright)[^/]*"
              + "|META-INF/licen[sc]es?/.*");
  private static final Pattern NO_TEXT = Pattern.compile(".*(?:\\.class|\\.java|\\.xml|\\.html|/)");

  static JarContent of(Path jar) throws IOException {
    JarContent content = new JarContent(new ArrayList<>(), new TreeMap<>());
    try (InputStream in = Files.newInputStream(jar)) {
      content.add("", in);
    }
    content.natives.sort(null);
    return content;
  }

  private void add(String prefix, InputStream in) throws IOException {
    ZipInputStream zip = new ZipInputStream(in);
    for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
      String path = entry.getName();
      if (entry.isDirectory() || path.endsWith(".class")) {
        continue;
      }
      if (Path.of(path).normalize().startsWith("..") || path.startsWith("/")) {
        throw new ReleaseException("a jar has an entry outside of it: " + path);
      }
      if (path.endsWith(".jar")) {
        add(prefix + path + "/", new ByteArrayInputStream(zip.readAllBytes()));
      } else if (TEXT.matcher(path).matches() && !NO_TEXT.matcher(path).matches()) {
        texts.put(prefix + path.replaceFirst("^META-INF/", ""), zip.readAllBytes());
      } else if (isNative(zip.readNBytes(4))) {
        natives.add(prefix + path);
      }
    }
  }

  private static boolean isNative(byte[] head) {
    if (head.length >= 2 && head[0] == 'M' && head[1] == 'Z') {
      return true; // Windows
    }
    if (head.length < 4) {
      return false;
    }
    int magic = ByteBuffer.wrap(head).getInt();
    return switch (magic) {
      case 0x7f454c46, // ELF
          0xcafebabe, // Mach-O for several processors; classes are not looked at
          0xcffaedfe,
          0xcefaedfe,
          0xfeedfacf,
          0xfeedface ->
          true;
      default -> false;
    };
  }

  /** If there is a licence among the texts, not only a notice. */
  boolean hasLicence() {
    return texts.keySet().stream().anyMatch(path -> !path.matches("(?i)(?:.*/)?notice[^/]*"));
  }
}
