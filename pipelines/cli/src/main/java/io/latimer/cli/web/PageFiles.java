package io.latimer.cli.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The files of the page, by path. */
final class PageFiles {
  private static final List<String> NAMES =
      List.of(
          "index.html", "page.css", "page.js", "rows.js", "verdicts.js", "graphs.js", "icon.svg");

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html", "css", "text/css", "js", "text/javascript", "svg", "image/svg+xml");

  private PageFiles() {}

  /** A file with its media type. */
  static final class PageFile {
    private final String type;
    private final byte[] bytes;

    private PageFile(String type, byte[] bytes) {
      this.type = type;
      this.bytes = bytes;
    }

    String type() {
      return type;
    }

    byte[] bytes() {
      return bytes.clone();
    }
  }

  static Map<String, PageFile> all() {
    Map<String, PageFile> files = new HashMap<>();
    for (String name : NAMES) {
      String type = TYPES.get(name.substring(name.indexOf('.') + 1));
      try (InputStream in = PageFiles.class.getResourceAsStream(name)) {
        PageFile file = new PageFile(type, in.readAllBytes());
        files.put(name.equals("index.html") ? "/" : "/" + name, file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return files;
  }
}
