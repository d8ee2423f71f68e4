package io.latimer.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LicencesTest {
  private static final byte[] ELF = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  private static final byte[] TEXT = "terms".getBytes(StandardCharsets.UTF_8);

  @TempDir Path folder;
  private Path texts;
  private Path out;

  @BeforeEach
  void layOut() throws IOException {
    texts = Files.createDirectory(folder.resolve("texts"));
    out = Files.createDirectory(folder.resolve("out"));
    Files.writeString(texts.resolve("MIT.txt"), "MIT terms");
    Files.writeString(texts.resolve("Apache-2.0.txt"), "Apache terms");
  }

  private static Component component(String name, String... declared) {
    return new Component("org.example", name, "1.2", "", "", List.of(declared));
  }

  private Path jar(Map<String, byte[]> entries) throws IOException {
    Path jar = Files.createTempFile(folder, "some", ".jar");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        zip.putNextEntry(new ZipEntry(entry.getKey()));
        zip.write(entry.getValue());
      }
    }
    return jar;
  }

  private void write(String components, Map<Component, Path> jars) throws IOException {
    Path policy =
        Files.writeString(
            folder.resolve("policy.yaml"),
            "allowed: [Apache-2.0, MIT]\ncomponents: {" + components + "}\n");
    new Licences(Policy.read(policy), texts).write("a product", jars, out);
  }

  private void refuses(String policy, Component component, Path jar, String message) {
    assertThatThrownBy(() -> write(policy, Map.of(component, jar)))
        .isInstanceOf(ReleaseException.class)
        .hasMessageContaining(message);
    assertThat(out).isEmptyDirectory();
  }

  @Test
  void refusesALicenceThatIsNotAllowed() throws IOException {
    refuses(
        "",
        component("bad", "AGPL-3.0-only"),
        jar(Map.of("META-INF/LICENSE", TEXT)),
        "org.example:bad has the licence AGPL-3.0-only, which is not allowed");
  }

  @Test
  void refusesNoLicenceAndSeveral() throws IOException {
    Path jar = jar(Map.of("META-INF/LICENSE", TEXT));
    refuses("", component("none"), jar, "org.example:none declares no licence");
    refuses("", component("two", "MIT", "Apache-2.0"), jar, "declares MIT, Apache-2.0; add which");
  }

  @Test
  void refusesALicenceThatHasChanged() throws IOException {
    refuses(
        "'org.example:moved': {declared: [MIT], licence: MIT}",
        component("moved", "Apache-2.0"),
        jar(Map.of("META-INF/LICENSE", TEXT)),
        "org.example:moved declares Apache-2.0, and the policy knows it as [MIT]");
  }

  @Test
  void refusesALicenceWithoutItsCopyright() throws IOException {
    refuses(
        "",
        component("bare", "MIT"),
        jar(Map.of("META-INF/NOTICE", TEXT)),
        "org.example:bare has no licence file; add its copyright line");
  }

  @Test
  void refusesUnknownNativeCode() throws IOException {
    Path jar = jar(Map.of("META-INF/LICENSE", TEXT, "lib/what.ever", ELF));
    refuses(
        "", component("fast", "MIT"), jar, "native code that the policy does not know: lib/what");
    String policy =
        "'org.example:fast': {declared: [MIT], licence: MIT, native:"
            + " [{name: fast, files: ['lib/*'], licence: GPL-2.0-only}]}";
    refuses(policy, component("fast", "MIT"), jar, "fast, fast has the licence GPL-2.0-only");
    write(policy.replace("GPL-2.0-only", "Apache-2.0"), Map.of(component("fast", "MIT"), jar));
    assertThat(out.resolve("THIRD-PARTY.md"))
        .content()
        .contains("contains fast: Apache-2.0, `licenses/Apache-2.0.txt`");
  }

  @Test
  void findsNativeCodeAndTextsInAJarWithinAJar() throws IOException {
    Path inner = jar(Map.of("libinner.so", ELF, "META-INF/NOTICE", TEXT));
    JarContent content = JarContent.of(jar(Map.of("in/inner.jar", Files.readAllBytes(inner))));
    assertThat(content.natives()).containsExactly("in/inner.jar/libinner.so");
    assertThat(content.texts()).containsOnlyKeys("in/inner.jar/NOTICE");
    assertThat(content.hasLicence()).isFalse();
  }

  @Test
  void findsTheLicencesOfWhatAJarIsDerivedFrom() throws IOException {
    JarContent content = JarContent.of(jar(Map.of("META-INF/thirdparty-LICENSE", TEXT, "a", TEXT)));
    assertThat(content.texts()).containsOnlyKeys("thirdparty-LICENSE");
  }

  @Test
  void refusesAnEntryThatLeadsOutOfTheFolder() throws IOException {
    Path jar = jar(Map.of("../../LICENSE", TEXT));
    refuses("", component("evil", "MIT"), jar, "an entry outside of it: ../../LICENSE");
  }

  @Test
  void writesTheTextsOfAllComponents() throws IOException {
    write(
        "'org.example:bare': {declared: [MIT], licence: MIT, copyright: Copyright (c) 2020 Ann}",
        Map.of(
            component("bare", "MIT"),
            jar(Map.of("a.txt", TEXT)),
            component("full", "Apache-2.0"),
            jar(Map.of("META-INF/LICENSE.txt", TEXT, "META-INF/NOTICE", TEXT))));
    assertThat(out.resolve("THIRD-PARTY.md"))
        .content()
        .contains("**bare-1.2** (`org.example`): MIT, `licenses/MIT.txt`. Copyright (c) 2020 Ann\n")
        .contains("**full-1.2** (`org.example`): Apache-2.0, `licenses/full-1.2/`\n");
    assertThat(out.resolve("licenses/MIT.txt")).hasContent("MIT terms");
    assertThat(out.resolve("licenses/full-1.2/LICENSE.txt")).hasContent("terms");
    assertThat(out.resolve("licenses/full-1.2/NOTICE")).exists();
  }

  @Test
  void namesWhatThePolicyKnowsAndNoProductHas() throws IOException {
    Path policy =
        Files.writeString(
            folder.resolve("policy.yaml"),
            "allowed: [MIT]\ncomponents: {'org.example:gone': {declared: [], licence: MIT}}\n");
    assertThatThrownBy(() -> new Licences(Policy.read(policy), texts).requireAllUsed())
        .hasMessageContaining("\n  MIT")
        .hasMessageContaining("\n  org.example:gone");
  }
}
