package io.latimer.pipelines.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConfigTypesTest {
  private enum Colour {
    LIGHT_BLUE,
    RED
  }

  private static <T> T read(ConfigType<T> type, T example, String value) {
    ConfigKey<T> key = ConfigKey.required("key", type, example, "A key.");
    ConfigSection section = ConfigSection.of("test", "A test.", key);
    Settings settings = ConfigFile.read(section, "key: " + value + "\n", "f", Path.of("/base"));
    // writing and reading again gives the same value
    String written = ConfigFile.write(settings);
    assertThat(ConfigFile.read(section, written, "f", Path.of("/other"))).isEqualTo(settings);
    return settings.get(key);
  }

  private static <T> void refuse(ConfigType<T> type, T example, String... values) {
    for (String value : values) {
      assertThatThrownBy(() -> read(type, example, value))
          .as(value)
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("line 1: key")
          .hasMessageContaining("expected");
    }
  }

  @Test
  void textIsAnyScalar() {
    for (String text : List.of("plain", "\"quo\\tted: #\"", "12", "true", "1.50", "''")) {
      assertThat(read(ConfigTypes.text(), "", text))
          .isEqualTo(text.replace("\"", "").replace("\\t", "\t").replace("''", ""));
    }
    refuse(ConfigTypes.text(), "", "[a]", "{a: b}", "null", "");
    refuse(ConfigTypes.name(), "x", "''", "' '");
  }

  @Test
  void numbersHaveRanges() {
    assertThat(read(ConfigTypes.integer(1, 64), 1, "64")).isEqualTo(64);
    refuse(ConfigTypes.integer(1, 64), 1, "0", "65", "1.5", "x", "99999999999", "[1]");
    assertThat(read(ConfigTypes.number(0, 10), 0.0, "10")).isEqualTo(10.0);
    assertThat(read(ConfigTypes.numberAbove(0, 10), 1.0, "1e-3")).isEqualTo(0.001);
    refuse(ConfigTypes.number(0, 10), 0.0, "-0.1", "10.1", "NaN", "x");
    refuse(ConfigTypes.numberAbove(0, 10), 1.0, "0", ".nan", "Infinity");
  }

  @Test
  void flagsAndWords() {
    assertThat(read(ConfigTypes.flag(), true, "false")).isFalse();
    refuse(ConfigTypes.flag(), true, "yes", "1", "TRUE");
    assertThat(read(ConfigTypes.word(Colour.class), Colour.RED, "light-blue"))
        .isEqualTo(Colour.LIGHT_BLUE);
    refuse(ConfigTypes.word(Colour.class), Colour.RED, "light_blue", "RED", "green");
  }

  @Test
  void durationsHaveUnits() {
    ConfigType<Duration> type = ConfigTypes.duration(Duration.ZERO);
    assertThat(read(type, Duration.ZERO, "0")).isEqualTo(Duration.ZERO);
    assertThat(read(type, Duration.ZERO, "20ms")).isEqualTo(Duration.ofMillis(20));
    assertThat(read(type, Duration.ZERO, "90 s")).isEqualTo(Duration.ofSeconds(90));
    assertThat(read(type, Duration.ZERO, "2min")).isEqualTo(Duration.ofMinutes(2));
    assertThat(read(type, Duration.ZERO, "36h")).isEqualTo(Duration.ofHours(36));
    assertThat(read(type, Duration.ZERO, "365d")).isEqualTo(Duration.ofDays(365));
    refuse(type, Duration.ZERO, "20", "-1s", "1.5s", "1m", "366d", "soon", "1s2s");
    refuse(ConfigTypes.duration(Duration.ofMillis(5)), Duration.ofMillis(5), "4ms", "0");
  }

  @Test
  void sizesHaveUnits() {
    ConfigType<Long> type = ConfigTypes.size();
    for (String size : List.of("1KiB", "1000MiB", "50GiB", "3TiB")) {
      assertThat(type.write(read(type, 1L, size))).isEqualTo(size);
    }
    assertThat(read(type, 1L, "1 MiB")).isEqualTo(1 << 20);
    assertThat(type.write(read(type, 1L, "2048GiB"))).isEqualTo("2TiB");
    assertThat(read(type, 1L, "999999TiB")).isPositive();
    refuse(type, 1L, "1024", "0GiB", "-1GiB", "1.5GiB", "1GB", "1gib", "1000000TiB", "all");
  }

  @Test
  void relativePathsBelongToTheBase() {
    assertThat(read(ConfigTypes.path(false), "x", "a/../b c")).isEqualTo("/base/b c");
    assertThat(read(ConfigTypes.path(false), "x", "/a")).isEqualTo("/a");
    assertThat(read(ConfigTypes.path(false), "x", "'s3://bucket/a'")).isEqualTo("s3://bucket/a");
    assertThat(read(ConfigTypes.path(true), "x", "''")).isEmpty();
    refuse(ConfigTypes.path(false), "x", "''", "[a]");
    assertThat(ConfigTypes.localFile("/a b")).isEqualTo(Path.of("/a b"));
    assertThat(ConfigTypes.localFile("file:///a%20b")).isEqualTo(Path.of("/a b"));
    assertThatThrownBy(() -> ConfigTypes.localFile("hdfs://host/a"))
        .hasMessageContaining("not a local file");
  }

  @Test
  void lists() {
    assertThat(read(ConfigTypes.texts(), List.of(), "one")).containsExactly("one");
    assertThat(read(ConfigTypes.texts(), List.of(), "[a, 2, '']")).containsExactly("a", "2", "");
    assertThat(read(ConfigTypes.texts(), List.of(), "[]")).isEmpty();
    refuse(ConfigTypes.texts(), List.of(), "{a: b}", "[[a]]", "[null]");
  }

  @Test
  void propertiesKeepTheirValuesAsWritten() {
    assertThat(read(ConfigTypes.properties(), Map.of(), "{a.b: 1.50, c: true, d: 'x y'}"))
        .containsExactly(Map.entry("a.b", "1.50"), Map.entry("c", "true"), Map.entry("d", "x y"));
    assertThat(read(ConfigTypes.properties(), Map.of(), "")).isEmpty();
    refuse(ConfigTypes.properties(), Map.of(), "{a: [b]}", "{a: null}", "[a]", "text");
  }

  @Test
  void keysMustBePlainTexts() {
    assertThatThrownBy(() -> read(ConfigTypes.properties(), Map.of(), "{[a]: b}"))
        .hasMessageContaining("a key must be plain text");
  }

  @Test
  void aSectionKnowsItsKeys() {
    ConfigKey<String> key = ConfigKey.of("a", ConfigTypes.text(), "x", "A key.");
    ConfigKey<String> other = ConfigKey.required("a", ConfigTypes.text(), "x", "Another.");
    ConfigSection section = ConfigSection.of("s", "A section.", key);
    assertThat(section.settings().build().get(key)).isEqualTo("x");
    assertThatThrownBy(() -> section.settings().set(other, "y")).hasMessageContaining("no key");
    assertThatThrownBy(() -> section.settings().build().get(other)).hasMessageContaining("no key");
    assertThatThrownBy(() -> ConfigSection.of("s", "A section.", other).settings().build())
        .hasMessageContaining("needs the key");
    assertThatThrownBy(() -> ConfigSection.of("s", "A section.", key, other))
        .hasMessageContaining("duplicate key");
  }
}
