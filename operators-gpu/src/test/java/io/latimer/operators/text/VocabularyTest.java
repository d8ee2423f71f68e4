package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.testing.SharedData;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VocabularyTest {
  @TempDir Path folder;

  @Test
  void yamlKeysAreStringsWhateverTheyLookLike() throws IOException {
    Vocabulary vocabulary =
        load(
            "v.yml",
            """
            </s>: 0
            <unk>: 1
            on: 2
            no: 3
            y: 4
            12: 5
            ~: 6
            1e3: 7
            null: 8
            true: 9
            0x1F: 10
            1_000: 11
            12:30:45: 12
            2026-11-21: 13
            .inf: 14
            "\\x85": 15
            "\\"": 16
            '''': 17
            "😀": 18
            <<: 19
            =: 20
            """);
    List<String> tokens =
        List.of(
            "on",
            "no",
            "y",
            "12",
            "~",
            "1e3",
            "null",
            "true",
            "0x1F",
            "1_000",
            "12:30:45",
            "2026-11-21",
            ".inf",
            "\u0085",
            "\"",
            "'",
            "😀",
            "<<",
            "=");
    assertThat(vocabulary.size()).isEqualTo(21);
    for (int i = 0; i < tokens.size(); i++) {
      assertThat(vocabulary.id(tokens.get(i))).as(tokens.get(i)).isEqualTo(i + 2);
      assertThat(vocabulary.token(i + 2)).isEqualTo(tokens.get(i));
    }
    assertThat(vocabulary.id("never seen")).isEqualTo(Vocabulary.UNKNOWN);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "v.json | {\"eos\": 0, \"UNK\": 1, \"on\": 2, \"12\": 3}",
        "v.yaml | {\"eos\": 0, UNK: 1, on: 2, 12: 3}",
        "v.txt  | eos\\nUNK\\non\\n12\\n",
        "v.vocab| eos\\r\\nUNK\\r\\non\\r\\n12",
      })
  void everyFormatGivesTheSame(String name, String content) throws IOException {
    Vocabulary vocabulary = load(name, content.replace("\\n", "\n").replace("\\r", "\r"));
    assertThat(vocabulary.size()).isEqualTo(4);
    assertThat(vocabulary.token(Vocabulary.END)).isEqualTo("eos");
    assertThat(vocabulary.token(Vocabulary.UNKNOWN)).isEqualTo("UNK");
    assertThat(vocabulary.id("on")).isEqualTo(2);
    assertThat(vocabulary.id("12")).isEqualTo(3);
  }

  @Test
  void idsMayHaveHolesAndLargerOnesThanTheEmbeddingAreUnknown() throws IOException {
    Vocabulary vocabulary = load("v.yml", "b: 7\na: 3\n");
    assertThat(vocabulary.size()).isEqualTo(8);
    assertThat(vocabulary.token(0)).isEqualTo("</s>");
    assertThat(vocabulary.token(5)).isEqualTo(vocabulary.token(1)).isEqualTo("<unk>");
    Vocabulary limited = vocabulary.limitedTo(7);
    assertThat(limited.size()).isEqualTo(7);
    assertThat(limited.id("a")).isEqualTo(3);
    assertThat(limited.id("b")).isEqualTo(Vocabulary.UNKNOWN);
    assertThat(vocabulary.limitedTo(8)).isSameAs(vocabulary);
    Vocabulary again = Vocabulary.fromBytes(ByteBuffer.wrap(vocabulary.toBytes()));
    assertThat(again.size()).isEqualTo(8);
    assertThat(again.id("b")).isEqualTo(7);
    assertThat(again.token(6)).isEqualTo("<unk>");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "v.yml  | a: 0\\nb: 1\\na: 2           | line 3 | \"a\" occurs twice",
        "v.yml  | a: 0\\nb: 0                  | line 2 | \"b\" has id 0, which another",
        "v.yml  | a: 0\\nb: -1                 | line 2 | \"b\" has id -1",
        "v.yml  | a: 0\\nb: 999999999999       | line 2 | \"b\" has id 999999999999",
        "v.yml  | a: 0\\nb: 4194304            | line 2 | ids run from 0 to 4194303",
        "v.yml  | a: 0\\nb: x                  | line 2 | the id of \"b\" is not a whole number: x",
        "v.yml  | a: 0\\nb: 1.5                | line 2 | not a whole number: 1.5",
        "v.yml  | a: 0\\nb: [1]                | line 2 | nested",
        "v.yml  | a: 0\\nb: *x                 | line 2 | nested",
        "v.yml  | a: &x 0\\nb: 1               | line 1 | anchors",
        "v.yml  | - a                          | line 1 | expected a mapping",
        "v.yml  | a: 0\\n---\\nb: 1            | line 2 | after the end",
        "v.yml  | {a: 0                        | line 1 | not YAML",
        "v.yml  | \"\\UFFFFFFFF\": 0            | line 1 | not YAML",
        "v.yml  | %YAML 99999999999.1\\n--- {}  | line 1 | not YAML",
        "v.json | {\"a\": 0,\\n\"a\": 1}       | line 2 | \"a\" occurs twice",
        "v.json | {\"a\": \"0\"}               | line 1 | not a whole number",
        "v.json | {\"a\": 0                    | line: 1 | not JSON",
        "v.json | {\"a\": 0} x                 | line: 1 | not JSON",
        "v.json | [1]                          | v.json | one JSON object",
        "v.json | {\"\\ud800\": 0}             | line 1 | surrogate",
        "v.txt  | a\\n\\nb                     | line 2 | is empty",
        "v.txt  | a\\nb\\na                    | line 3 | \"a\" occurs twice",
        "v.txt  | a\\nb c</w>                 | line 2 | more than one token",
        "v.txt  | a\t-1.5                    | line 1 | more than one token",
        "v.txt  | ''                           | v.txt | has no token",
        "v.spm  | abc                          | v.spm | not a SentencePiece model",
      })
  void refusesWhatIsWrongByFileAndPlace(String name, String content, String where, String what) {
    assertThatThrownBy(() -> load(name, content.replace("\\n", "\n")))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining(name)
        .hasMessageContaining(where)
        .hasMessageContaining(what);
  }

  @Test
  void refusesBytesThatAreNotUtf8ByLine() throws IOException {
    Path file = folder.resolve("latin1.yml");
    Files.write(file, "a: 0\nb: 1\nsch\u00f6n: 2\n".getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(() -> Vocabulary.load(file))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("latin1.yml, line 3: byte 13 is not UTF-8");
  }

  @Test
  void aMissingFileIsNamed() {
    assertThatThrownBy(() -> Vocabulary.load(folder.resolve("none.yml")))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("none.yml");
  }

  @Test
  void readsAVocabularyLongerThanTheYamlLibraryAllowsByItself() throws IOException {
    StringBuilder yaml = new StringBuilder();
    for (int id = 0; id < 200_000; id++) {
      yaml.append("\"a rather long token, number ")
          .append(id)
          .append("\": ")
          .append(id)
          .append('\n');
    }
    assertThat(yaml.length()).isGreaterThan(3 << 20);
    Vocabulary vocabulary = load("big.yml", yaml.toString());
    assertThat(vocabulary.id("a rather long token, number 199999")).isEqualTo(199_999);
  }

  @Test
  @Timeout(60)
  void aTokenOfAnyLengthIsRefusedInOneReading() {
    for (String token : List.of("a".repeat(5_000_000), '"' + "a".repeat(5_000_000) + '"')) {
      assertThatThrownBy(() -> load("v.yml", "? " + token + "\n: 0\n"))
          .isInstanceOf(OperatorException.class)
          .hasMessageContaining("v.yml is not YAML: line 1: a value has 5000000 characters");
    }
    assertThatThrownBy(() -> load("v.yml", "# " + "a".repeat(17 << 20)))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("the line has more than");
    assertThatThrownBy(() -> load("v.yml", "[".repeat(3_000_000)))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("expected a mapping");
  }

  @Test
  void binaryFormIsAsDocumented() {
    byte[] bytes = Vocabulary.of(Arrays.asList("</s>", "<unk>", null, "ä")).toBytes();
    assertThat(bytes)
        .containsExactly(
            1,
            0,
            0,
            0,
            4,
            0,
            0,
            0,
            11,
            0,
            0,
            0,
            0,
            0,
            0,
            0, // version, ids, length of the text
            0,
            0,
            0,
            0,
            4,
            0,
            0,
            0,
            9,
            0,
            0,
            0,
            9,
            0,
            0,
            0,
            11,
            0,
            0,
            0, // offsets
            0b1011, // which ids have a token
            '<',
            '/',
            's',
            '>',
            '<',
            'u',
            'n',
            'k',
            '>',
            (byte) 0xC3,
            (byte) 0xA4);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  void damagedBinaryFormsAreRefusedOrReadButNeverCrash(int seed) {
    byte[] good = Vocabulary.of(Arrays.asList("</s>", "<unk>", null, "ä", "b", "")).toBytes();
    Random random = new Random(seed);
    int refused = 0;
    for (int round = 0; round < 500; round++) {
      byte[] bad = good.clone();
      if (round % 3 == 0) {
        bad = Arrays.copyOf(bad, random.nextInt(bad.length));
      } else {
        bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
      }
      try {
        Vocabulary.fromBytes(ByteBuffer.wrap(bad));
      } catch (OperatorException e) {
        assertThat(e).hasMessageContaining("vocabulary section is corrupt");
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(300);
  }

  @Test
  void aSentencePieceModelIsAVocabulary() {
    Path model = SharedData.require("models/tatoeba-ende-gru/spm.model");
    Path yaml = SharedData.require("models/tatoeba-ende-gru/vocab.yml");
    assertThat(Vocabulary.load(model).toBytes()).isEqualTo(Vocabulary.load(yaml).toBytes());
  }

  private Vocabulary load(String name, String content) throws IOException {
    return Vocabulary.load(Files.writeString(folder.resolve(name), content));
  }
}
