package io.latimer.release.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SiteTest {
  private static final Path ROOT =
      Path.of(System.getProperty("latimer.root", "../..")).toAbsolutePath().normalize();
  private static final Path NAVIGATION = ROOT.resolve("deploy/release/site/navigation.yaml");

  @TempDir Path folder;

  private Path write(String path, String text) throws IOException {
    Path file = folder.resolve("in").resolve(path);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private List<String> make() throws IOException {
    return make("Use: [README.md, docs/a.md]\n");
  }

  private List<String> make(String groups) throws IOException {
    Path navigation = write("navigation.yaml", groups);
    return Site.make(folder.resolve("in"), "1.0", navigation, folder.resolve("out"));
  }

  private String page(String path) throws IOException {
    return Files.readString(folder.resolve("out").resolve(path));
  }

  @Test
  void allLinksOfThisCheckoutLeadSomewhere() throws IOException {
    Path out = folder.resolve("site");
    assertThat(Site.make(ROOT, "1.0", NAVIGATION, out)).isEmpty();
    assertThat(Links.broken(out)).isEmpty();
    assertThat(Links.pages(out))
        .contains(out.resolve("index.html"), out.resolve("docs/flink.html"));
  }

  @Test
  void linksLeadToPagesFilesAndFolders() throws IOException {
    write(
        "README.md",
        "# Home\n\n[a](docs/a.md#b-c) [job](jobs/x.yaml) [all](jobs) [web](https://x/)");
    write(
        "docs/a.md", "# A & B\n\n## B `c`\n\n[home](../README.md) [here](#b-c)\n\n|a|\n|-|\n|b|\n");
    write("jobs/x.yaml", "a: <b>\n");
    assertThat(make()).isEmpty();
    assertThat(page("index.html"))
        .contains("href=\"docs/a.html#b-c\"", "href=\"jobs/x.yaml.html\"", "href=\"https://x/\"");
    assertThat(page("docs/a.html"))
        .contains(
            "<h2 id=\"b-c\">", "href=\"../index.html\"", "<title>A &amp; B", "class=\"wide\"");
    assertThat(page("jobs/x.yaml.html")).contains("a: &lt;b&gt;");
    assertThat(page("jobs/index.html")).contains("href=\"x.yaml.html\"");
    assertThat(Links.broken(folder.resolve("out"))).isEmpty();
  }

  @Test
  void namesLinksToWhatIsNotThereAndForgottenPages() throws IOException {
    write("README.md", "# Home\n\n[gone](docs/gone.md) [out](../../etc/passwd)");
    write("docs/a.md", "# A\n\n[nowhere](#nowhere)");
    write("docs/b.md", "# B\n");
    assertThat(make())
        .containsExactly(
            "README.md links to docs/gone.md, which is not there",
            "README.md links to ../../etc/passwd, which is not there",
            "docs/b.md is not in the navigation, and no page links to it");
    assertThat(Links.broken(folder.resolve("out")))
        .contains("docs/a.html: #nowhere has no such heading");
  }

  @Test
  void aFolderInTheNavigationStandsForItsPages() throws IOException {
    write("README.md", "# Home\n");
    write("docs/b/y.md", "# Y\n");
    write("docs/b/x.md", "# X\n\n[y](y.md)");
    write("docs/b/x.txt", "x");
    assertThat(make("Use: [README.md, docs/b/]\n")).isEmpty();
    assertThat(page("index.html"))
        .containsSubsequence("href=\"docs/b/x.html\"", "href=\"docs/b/y.html\"")
        .doesNotContain("x.txt");
    assertThat(Links.broken(folder.resolve("out"))).isEmpty();
  }

  @Test
  void pagesNeedNoScriptAndNoOtherServer() throws IOException {
    Path out = folder.resolve("site");
    Site.make(ROOT, "1.0", NAVIGATION, out);
    for (Path page : Links.pages(out)) {
      assertThat(Files.readString(page))
          .contains("name=\"viewport\"")
          .doesNotContain("<script", "src=\"http", "stylesheet\" href=\"http");
    }
  }
}
