package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The pages of the project are readable as they are, without a renderer. */
class MarkdownTest {
  private static final Path ROOT = Path.of(System.getProperty("latimer.root"));
  private static final Set<String> NOT_OURS = Set.of("target", ".git");
  private static final int WIDTH = 120;

  @Test
  void noLineOfProseIsLongerThan120Columns() throws IOException {
    List<Path> pages = pages();
    assertThat(pages).contains(ROOT.resolve("README.md"), ROOT.resolve("docs/operators.md"));
    List<String> tooLong = new ArrayList<>();
    for (Path page : pages) {
      for (String place : tooLong(Files.readAllLines(page))) {
        tooLong.add(ROOT.relativize(page) + place);
      }
    }
    assertThat(tooLong).as("wrap these lines at " + WIDTH + " columns").isEmpty();
  }

  @Test
  void tablesAndCodeMayBeWider() {
    String wide = "x".repeat(WIDTH + 1);
    assertThat(tooLong(List.of("| " + wide + " |", "```", wide, "```", "x".repeat(WIDTH))))
        .isEmpty();
    assertThat(tooLong(List.of("```", "```", wide))).containsExactly(", line 3");
  }

  private static List<String> tooLong(List<String> lines) {
    List<String> places = new ArrayList<>();
    boolean code = false;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.stripLeading().startsWith("```")) {
        code = !code;
      } else if (!code && !line.startsWith("|") && line.codePointCount(0, line.length()) > WIDTH) {
        places.add(", line " + (i + 1));
      }
    }
    return places;
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return NOT_OURS.contains(folder.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.getFileName().toString().endsWith(".md")) {
              pages.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return pages;
  }
}
