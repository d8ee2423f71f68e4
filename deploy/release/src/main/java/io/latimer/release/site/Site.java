package io.latimer.release.site;

import io.latimer.release.site.Markdown.Page;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A site of the navigation's pages and of all that they link to in the checkout: other pages,
 * files, and folders as lists of their files. Its pages need no script and no other server.
 */
public final class Site {
  private static final String README = "README.md";
  private static final String STYLE = "style.css";

  /** Larger files are copied instead of shown. */
  private static final long SHOWN_BYTES = 300_000;

  private final Path root;
  private final String version;
  private final Path out;
  private final Navigation navigation;
  private final Map<String, Page> pages = new TreeMap<>();
  private final List<String> problems = new ArrayList<>();
  private final Set<String> seen = new LinkedHashSet<>();
  private final Deque<String> waiting = new ArrayDeque<>();

  private Site(Path root, String version, Navigation navigation, Path out) {
    this.root = root.toAbsolutePath().normalize();
    this.version = version;
    this.navigation = navigation;
    this.out = out;
  }

  /**
   * Makes the site of a checkout.
   *
   * @param navigation the file that lists the pages
   * @param out an empty folder, or one that is not there yet
   * @return what is wrong with the pages: links to what is not there, pages of {@code docs/} that
   *     nothing leads to
   */
  public static List<String> make(Path root, String version, Path navigation, Path out)
      throws IOException {
    Site site = new Site(root, version, Navigation.read(root, navigation), out);
    site.make();
    return site.problems;
  }

  private void make() throws IOException {
    navigation.pages().forEach(this::want);
    while (!waiting.isEmpty()) {
      String path = waiting.remove();
      Path source = root.resolve(path);
      if (path.endsWith(".md")) {
        pages.put(path, Markdown.render(Files.readString(source), link -> destination(path, link)));
      } else if (Files.isDirectory(source)) {
        pages.put(path, listing(path));
      } else {
        String text = text(source);
        if (text == null) {
          Files.copy(source, parents(out.resolve(path)));
        } else {
          pages.put(
              path, new Page(path, List.of(), "<h1>" + escape(path) + "</h1>\n" + code(text)));
        }
      }
    }
    for (String page : docs()) {
      if (!seen.contains(page)) {
        problems.add(page + " is not in the navigation, and no page links to it");
      }
    }
    for (Map.Entry<String, Page> page : pages.entrySet()) {
      Files.writeString(parents(out.resolve(address(page.getKey()))), html(page.getKey()));
    }
    try (InputStream style = Site.class.getResourceAsStream(STYLE)) {
      Files.copy(style, out.resolve(STYLE));
    }
  }

  private static Path parents(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    return file;
  }

  private List<String> docs() throws IOException {
    try (Stream<Path> files = Files.walk(root.resolve("docs"))) {
      return files
          .filter(file -> file.toString().endsWith(".md"))
          .map(this::path)
          .sorted()
          .toList();
    }
  }

  private String path(Path file) {
    return root.relativize(file).toString().replace('\\', '/');
  }

  private void want(String path) {
    if (seen.add(path)) {
      waiting.add(path);
    }
  }

  /** Where the site has what a link on a page leads to. */
  private String destination(String page, String link) {
    int hash = link.indexOf('#');
    String fragment = hash < 0 ? "" : link.substring(hash);
    String target = hash < 0 ? link : link.substring(0, hash);
    if (target.isEmpty() || target.matches("[a-z][a-z0-9+.-]*:.*")) {
      return link;
    }
    Path file = root.resolve(page).resolveSibling(target).normalize();
    if (!file.startsWith(root) || !Files.exists(file)) {
      problems.add(page + " links to " + link + ", which is not there");
      return link;
    }
    if (Files.isDirectory(file) && Files.exists(file.resolve(README))) {
      file = file.resolve(README);
    }
    String path = path(file);
    want(path);
    return relative(page, shown(file) ? address(path) : path) + fragment;
  }

  private static boolean shown(Path file) {
    return Files.isDirectory(file) || file.toString().endsWith(".md") || text(file) != null;
  }

  /** The content of a file that is text and not too large to show; null if it is not. */
  private static String text(Path file) {
    try {
      if (Files.size(file) > SHOWN_BYTES) {
        return null;
      }
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(Files.readAllBytes(file)))
          .toString();
    } catch (CharacterCodingException e) {
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be read", e);
    }
  }

  private Page listing(String folder) throws IOException {
    List<String> files;
    try (Stream<Path> all = Files.walk(root.resolve(folder))) {
      files =
          all.filter(Files::isRegularFile)
              .map(this::path)
              .filter(path -> !(path + "/").contains("/target/"))
              .sorted(Comparator.naturalOrder())
              .toList();
    }
    StringBuilder body = new StringBuilder("<h1>" + escape(folder) + "/</h1>\n<ul>\n");
    for (String file : files) {
      String name = file.substring(folder.length() + 1);
      body.append(
          "<li><a href=\"%s\">%s</a></li>\n"
              .formatted(escape(destination(folder + "/" + README, name)), escape(name)));
    }
    return new Page(folder + "/", List.of(), body + "</ul>\n");
  }

  /** The file of the site that has a page. */
  private String address(String path) {
    if (Files.isDirectory(root.resolve(path))) {
      return path + "/index.html";
    }
    if (path.equals(README) || path.endsWith("/" + README)) {
      return path.substring(0, path.length() - README.length()) + "index.html";
    }
    return (path.endsWith(".md") ? path.substring(0, path.length() - 3) : path) + ".html";
  }

  /** A link from a page to a file of the site. */
  private String relative(String page, String address) {
    Path from = Path.of("/" + address(page)).getParent();
    return from.relativize(Path.of("/" + address)).toString().replace('\\', '/');
  }

  private String html(String path) {
    Page page = pages.get(path);
    return """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>%s</title>
    <link rel="stylesheet" href="%s">
    </head>
    <body>
    <header>
    <a class="home" href="%s">Latimer <small>%s</small></a>
    <a class="jump" href="#pages">All pages</a>
    </header>
    <main>
    %s%s</main>
    <nav id="pages" aria-label="All pages">
    %s</nav>
    </body>
    </html>
    """
        .formatted(
            escape(page.title().equals("Latimer") ? "Latimer" : page.title() + " · Latimer"),
            relative(path, STYLE),
            relative(path, "index.html"),
            escape(version),
            contents(page),
            page.body(),
            menu(path));
  }

  private static String contents(Page page) {
    String items =
        page.sections().stream()
            .filter(section -> section.level() == 2)
            .map(
                section ->
                    "<li><a href=\"#%s\">%s</a></li>\n"
                        .formatted(escape(section.id()), escape(section.text())))
            .collect(Collectors.joining());
    return items.isEmpty()
        ? ""
        : "<details class=\"contents\"><summary>On this page</summary>\n<ul>\n"
            + items
            + "</ul></details>\n";
  }

  private String menu(String path) {
    StringBuilder menu = new StringBuilder();
    navigation
        .groups()
        .forEach(
            (heading, group) -> {
              menu.append("<h2>").append(escape(heading)).append("</h2>\n<ul>\n");
              for (String page : group) {
                menu.append(
                    "<li><a href=\"%s\"%s>%s</a></li>\n"
                        .formatted(
                            escape(relative(path, address(page))),
                            page.equals(path) ? " aria-current=\"page\"" : "",
                            escape(pages.get(page).title())));
              }
              menu.append("</ul>\n");
            });
    return menu.toString();
  }

  private static String code(String text) {
    return "<pre><code>" + escape(text) + "</code></pre>\n";
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
