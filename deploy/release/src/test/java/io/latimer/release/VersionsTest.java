package io.latimer.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VersionsTest {
  @TempDir Path root;

  @BeforeEach
  void layOut() throws IOException {
    write("deploy/helm/latimer/Chart.yaml", "version: 1.2.0\nappVersion: \"1.2.0\"\n");
    write("deploy/docker/Dockerfile", "# latimer:1.2.0-cpu\nARG VERSION=1.2.0\n");
    write("deploy/docker/compose.yaml", "image: ${LATIMER_IMAGE:-latimer:1.2.0-cpu}\n");
    write("deploy/docker/compose.gpu.yaml", "image: latimer:1.2.0-gpu\n");
    write("deploy/kubernetes/base/flinkdeployment.yaml", "image: latimer:1.2.0-cpu\n");
    write("deploy/README.md", "docker build -t latimer:1.2.0-cpu\n");
    write("CHANGELOG.md", "# Changelog\n\n## 1.2.0 - 2026-12-01\n\n- One.\n");
  }

  private void write(String path, String text) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  @Test
  void acceptsOneVersionEverywhere() throws IOException {
    assertThat(Versions.problems(root, "1.2.0")).isEmpty();
  }

  @Test
  void aSnapshotLeadsToItsRelease() throws IOException {
    write("deploy/docker/Dockerfile", "ARG VERSION=1.2.0-SNAPSHOT\n");
    write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- Two.\n");
    assertThat(Versions.problems(root, "1.2.0-SNAPSHOT")).isEmpty();
  }

  @Test
  void namesEachPlaceWithAnotherVersion() throws IOException {
    write("deploy/kubernetes/base/flinkdeployment.yaml", "image: latimer:1.1.0-cpu\n");
    write("deploy/helm/latimer/Chart.yaml", "version: 1.1.0\nappVersion: \"1.2.0\"\n");
    write("deploy/docker/Dockerfile", "FROM scratch\n");
    assertThat(Versions.problems(root, "1.2.0"))
        .containsExactly(
            "deploy/helm/latimer/Chart.yaml: version is 1.1.0, expected 1.2.0",
            "deploy/docker/Dockerfile names no version",
            "deploy/kubernetes/base/flinkdeployment.yaml: latimer is 1.1.0, expected 1.2.0");
  }

  @Test
  void theChangelogNeedsADatedSectionWithEntries() {
    assertThat(changelog("## Unreleased\n\n- One.\n", "1.2.0"))
        .containsExactly("CHANGELOG.md has no section '## 1.2.0 - YYYY-MM-DD'");
    assertThat(changelog("## 1.2.0\n\n- One.\n", "1.2.0")).hasSize(1);
    assertThat(changelog("## 1.2.0 - 2026-12-01\n\n## 1.1.0 - 2026-11-01\n\n- One.\n", "1.2.0"))
        .containsExactly("CHANGELOG.md has nothing in its section '## 1.2.0 - YYYY-MM-DD'");
    assertThat(changelog("## [1.2.0] - 2026-12-01\n\n### Added\n\n- One.\n", "1.2.0")).isEmpty();
  }

  private static List<String> changelog(String text, String version) {
    List<String> problems = new ArrayList<>();
    Versions.changelog("# Changelog\n\n" + text, version, problems);
    return problems;
  }
}
