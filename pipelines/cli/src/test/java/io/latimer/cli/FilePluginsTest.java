package io.latimer.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.apache.flink.core.fs.FileSystemFactory;
import org.junit.jupiter.api.Test;

/** An index file in a file system that is one of Flink's plugins. */
final class FilePluginsTest extends CommandProcess {
  private static final Path MODEL =
      Path.of(System.getProperty("latimer.root"), "examples/models/tatoeba-en-de.lmx");

  /** A plugin as Flink expects it: a jar in a folder of its own, which names the file system. */
  private Path plugins() throws IOException {
    Path plugins = folder.resolve("plugins");
    Path jar = Files.createDirectories(plugins.resolve("shelf")).resolve("shelf.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (String name : List.of("ShelfFiles", "ShelfFiles$ShelfFileSystem")) {
        String path = "io/latimer/cli/" + name + ".class";
        out.putNextEntry(new ZipEntry(path));
        try (InputStream in = ShelfFiles.class.getClassLoader().getResourceAsStream(path)) {
          in.transferTo(out);
        }
      }
      out.putNextEntry(new ZipEntry("META-INF/services/" + FileSystemFactory.class.getName()));
      out.write(ShelfFiles.class.getName().getBytes(UTF_8));
    }
    return plugins;
  }

  private int run() throws Exception {
    Files.writeString(
        folder.resolve("job.yaml"),
        """
        source: {list: {lines: [Good morning!]}}
        indexes: {directory: "%s"}
        stages: [translate: {model: "shelf://%s", beam: 1}]
        sinks: [print: {format: text}]
        dead-letters: fail
        """
            .formatted(folder.resolve("indexes"), MODEL));
    start("run", "--config", "job.yaml");
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  @Test
  void aModelComesFromTheFileSystemOfAPlugin() throws Exception {
    environment = Map.of("FLINK_PLUGINS_DIR", plugins().toString());
    assertThat(run()).as(() -> read(err)).isZero();
    assertThat(read(out)).isEqualTo("Guten Morgen!\n");
  }

  @Test
  void withoutThePluginTheModelIsRefusedByName() throws Exception {
    assertThat(run()).isEqualTo(1);
    assertThat(read(err)).contains(MODEL.toString(), "Flink has no file system for shelf:");
  }

  @Test
  void aFolderOfPluginsThatDoesNotExistIsRefused() throws Exception {
    environment = Map.of("FLINK_PLUGINS_DIR", folder.resolve("nowhere").toString());
    assertThat(run()).isEqualTo(1);
    assertThat(read(err))
        .contains(folder.resolve("nowhere") + " is not a folder; FLINK_PLUGINS_DIR");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
