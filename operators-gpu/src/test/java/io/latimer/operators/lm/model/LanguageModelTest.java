package io.latimer.operators.lm.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.lm.arpa.ArpaFile;
import io.latimer.operators.lm.arpa.LmImportRequest;
import io.latimer.operators.lm.arpa.LmImporter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

public class LanguageModelTest {
  @TempDir private Path folder;

  /** The fixture as a file: tests may come in a jar. */
  public static Path harbour() {
    try (InputStream in = LanguageModelTest.class.getResourceAsStream("harbour.arpa")) {
      Path own = Files.createTempDirectory("harbour");
      Path file = own.resolve("harbour.arpa");
      own.toFile().deleteOnExit(); // after the file: the last that is named goes first
      file.toFile().deleteOnExit();
      Files.copy(in, file);
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private LanguageModel model(LmLayout layout) {
    return ArpaFile.open(harbour(), folder, layout, 3);
  }

  @ParameterizedTest
  @EnumSource(LmLayout.class)
  void saysWhatTheFileHolds(LmLayout layout) {
    LanguageModel model = model(layout);
    assertThat(model.order()).isEqualTo(4);
    assertThat(model.layout()).isEqualTo(layout);
    assertThat(model.arpaCounts()).containsExactly(12L, 10L, 6L, 5L);
    // Made up: "harbour dawn", "grey naïve", "sails quiet", "dawn </s>"; "ship sails quiet",
    // "harbour dawn </s>", "harbour grey naïve", "at <unk> at".
    assertThat(model.storedCounts()).containsExactly(12L, 14L, 10L, 5L);
    assertThat(model.vocabulary().size()).isEqualTo(12);
    assertThat(model.vocabulary().word(0)).isEqualTo("<unk>");
    assertThat(model.vocabulary().id("naïve")).isEqualTo(10);
    assertThat(model.vocabulary().word(10)).isEqualTo("naïve");
    assertThat(model.beginSentence()).isEqualTo(1);
    assertThat(model.endSentence()).isEqualTo(2);
    for (String unknown : new String[] {"<unk>", "<UNK>", "", "The", "naï"}) {
      assertThat(model.vocabulary().id(unknown)).as(unknown).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(LmLayout.class)
  void sameInputGivesTheSameBytes(LmLayout layout) throws Exception {
    Path first = folder.resolve("first.llm");
    Path second = folder.resolve("second.llm");
    for (Path out : new Path[] {first, second}) {
      LmImporter.importArpa(LmImportRequest.of(harbour(), out).with(layout), (s, n, total) -> {});
    }
    assertThat(second).hasSameBinaryContentAs(first);
  }

  /** A reader of the hash layout made from docs/formats.md alone. */
  @Test
  void hashLayoutIsAsDocumented() {
    LanguageModel model = model(LmLayout.HASH);
    ArpaFile arpa = ArpaFile.read(harbour());
    ByteBuffer table = model.ngrams().get(0);
    int words = model.vocabulary().size();
    for (String ngram : arpa.ngrams()) {
      String[] text = ngram.split(" ", -1);
      long parent = model.vocabulary().id(text[text.length - 1]);
      int at = (int) parent * 8;
      for (int i = text.length - 2; i >= 0; i--) {
        int word = model.vocabulary().id(text[i]);
        long x = parent << 32 | word;
        x = (x ^ x >>> 33) * 0xff51afd7ed558ccdL;
        x = (x ^ x >>> 33) * 0xc4ceb9fe1a85ec53L;
        x ^= x >>> 33;
        int slot = 2 * (int) (((x >>> 32) * model.buckets()) >>> 32);
        while (table.getInt(16 * slot) != parent || table.getInt(16 * slot + 4) != word) {
          assertThat(table.getInt(16 * slot + 4)).as(ngram).isNotEqualTo(-1);
          slot = (slot + 1) % (2 * model.buckets());
        }
        parent = (long) words + slot;
        at = 16 * slot + 8;
      }
      ByteBuffer values = text.length == 1 ? model.words() : table;
      assertThat(-Math.abs(values.getFloat(at))).isEqualTo(-Math.abs(arpa.values(ngram)[0]));
      assertThat(values.getFloat(at + 4) + 0f).isEqualTo(arpa.values(ngram)[1] + 0f);
    }
  }

  /** A reader of the layout of B-trees made from docs/formats.md alone. */
  @ParameterizedTest
  @ValueSource(ints = {3, 4, 31, 63})
  void layoutOfBTreesIsAsDocumented(int keys) {
    LanguageModel model = ArpaFile.open(harbour(), folder, LmLayout.BTREE, keys);
    ArpaFile arpa = ArpaFile.read(harbour());
    ByteBuffer nodes = model.ngrams().get(0);
    for (String ngram : arpa.ngrams()) {
      String[] text = ngram.split(" ", -1);
      int at = 16 * model.vocabulary().id(text[text.length - 1]);
      int tree = 4 * (model.words().getInt(at + 8) - 1);
      ByteBuffer values = model.words();
      for (int length = 2; length <= text.length; length++) {
        int word = model.vocabulary().id(text[text.length - length]);
        values = nodes;
        int payload = length == 4 ? 4 : 12;
        at = -1;
        while (at < 0) {
          int count = nodes.getInt(tree) & 0x7FFFFFFF;
          assertThat(count).isBetween(1, keys);
          boolean inner = nodes.getInt(tree) < 0;
          int place = 0;
          while (place < count && nodes.getInt(tree + 4 + 4 * place) < word) {
            place++;
          }
          if (place < count && nodes.getInt(tree + 4 + 4 * place) == word) {
            at = tree + 4 + 4 * count + (inner ? 4 * (count + 1) : 0) + place * payload;
          } else {
            assertThat(inner).as(ngram).isTrue();
            tree += 4 * nodes.getInt(tree + 4 + 4 * count + 4 * place);
          }
        }
        tree = length == 4 ? -1 : tree + 4 * nodes.getInt(at + 8);
      }
      assertThat(-Math.abs(values.getFloat(at))).isEqualTo(-Math.abs(arpa.values(ngram)[0]));
      if (text.length < 4) {
        assertThat(values.getFloat(at + 4) + 0f).isEqualTo(arpa.values(ngram)[1] + 0f);
      }
    }
  }

  /** Writes the model again with a section changed; its checksums are right. */
  private Path changed(LmLayout layout, String section, Consumer<ByteBuffer> change) {
    model(layout);
    Path out = folder.resolve("changed.llm");
    try (IndexFile file = IndexFile.open(folder.resolve("harbour.arpa." + layout + "3.llm"));
        IndexFileWriter writer = IndexFileWriter.create(out, LanguageModel.KIND, "")) {
      file.sections()
          .forEach(
              each -> {
                ByteBuffer bytes = ByteBuffer.allocate((int) each.length());
                bytes.put(file.section(each.name())).flip().order(ByteOrder.LITTLE_ENDIAN);
                if (each.name().equals(section)) {
                  change.accept(bytes);
                }
                writer.add(each.name(), bytes);
              });
      writer.commit();
    }
    return out;
  }

  private record Damage(
      LmLayout layout, String section, Consumer<ByteBuffer> change, String message) {}

  private static Damage hash(String section, Consumer<ByteBuffer> change, String message) {
    return new Damage(LmLayout.HASH, section, change, message);
  }

  private static Damage trees(String section, Consumer<ByteBuffer> change, String message) {
    return new Damage(LmLayout.BTREE, section, change, message);
  }

  @Test
  void refusesDamagedSectionsByWhatIsWrong() {
    Map<String, Damage> damages = new LinkedHashMap<>();
    Stream.of(
            hash("vocab/offsets", b -> b.putInt(0, 1), "word 0 is declared to start at 1"),
            hash(
                "vocab/offsets", b -> b.putInt(8, -1), "word 2 is declared to start at 4294967295"),
            hash("vocab/offsets", b -> b.limit(b.limit() - 4), "expected 52 bytes, found 48"),
            hash("vocab/text", b -> b.limit(b.limit() - 1), "which is not between"),
            hash("vocab/table", b -> fill(b, 8, 4, 12), "holds the id 12"),
            hash("vocab/table", b -> fill(b, 8, 4, 1), "has no free slot"),
            hash("unigrams", b -> b.putFloat(16, Float.NaN), "word 2 has a probability"),
            hash("hash/table", b -> fill(b, 16, 4, 12), "has the word 12 of 12"),
            hash("hash/table", b -> fill(b, 16, 0, 1000), "has an invalid suffix: 1000"),
            hash("hash/table", b -> fill(b, 16, 12, 0x7FC00000), "is not a number"),
            hash("hash/table", b -> empty(b, 0), "has 28 n-grams, the settings say 29"),
            hash("hash/table", b -> b.limit(b.limit() - 32), "section hash/table: expected"),
            trees("btree/root", b -> b.putInt(8 + 16 * 3, 99), "word 3 has its tree at byte 392"),
            trees("btree/root", b -> b.putInt(12, 1), "word 0 of the root is not zero"),
            trees("btree/nodes", b -> b.putInt(0, 0), "has 0 keys of 1 to 3"),
            trees("btree/nodes", b -> b.putInt(0, 4), "has 4 keys of 1 to 3"),
            trees("btree/nodes", b -> b.putInt(0, 0x80000001), "tree at byte"),
            trees(
                "btree/nodes", b -> b.putInt(4, -1), "keys that do not ascend or are not below 12"),
            trees("btree/nodes", b -> b.limit(b.limit() - 4), "is outside the section"),
            trees("btree/nodes", b -> b.limit(b.limit() - 2), "not whole 32-bit words"),
            trees("settings", b -> replace(b, "[ 12, 14", "[ 12, 13"), "the settings say 13"),
            hash(
                "settings",
                b -> replace(b, "\"order\" : 4", "\"order\" : 9"),
                "at order: expected 1 to 8"),
            hash("settings", b -> replace(b, "[ 12, 14", "[ 99, 14"), "stored"),
            hash("settings", b -> replace(b, "[ 12, 14", "[ -2, 14"), "stored"),
            hash(
                "settings",
                b -> replace(b, "buckets", "Buckets"),
                "Missing creator property 'buckets'"),
            hash("settings", b -> b.put(0, (byte) '['), "settings are wrong"))
        .forEach(damage -> damages.put(damage.section + ": " + damage.message, damage));
    damages.forEach(
        (name, damage) -> {
          Path file = changed(damage.layout, damage.section, damage.change);
          assertThatThrownBy(() -> open(file))
              .as(name)
              .isInstanceOf(LmFormatException.class)
              .hasMessageContaining(file.toString())
              .hasMessageContaining(damage.message);
        });
  }

  private static void fill(ByteBuffer bytes, int stride, int at, int value) {
    for (int i = 0; i < bytes.limit(); i += stride) {
      if (value == 1 || bytes.getInt(i + 4) != -1) {
        bytes.putInt(i + at, value);
      }
    }
  }

  private static void empty(ByteBuffer bytes, int from) {
    int at = from;
    while (bytes.getInt(at + 4) == -1 || bytes.getInt(at + 16 + 4) != -1) {
      at += 32;
    }
    bytes.putLong(at, -1L << 32).putLong(at + 8, 0);
  }

  private static void replace(ByteBuffer bytes, String from, String to) {
    String text = StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    assertThat(text).contains(from);
    bytes.put(0, text.replace(from, to).getBytes(StandardCharsets.UTF_8));
  }

  private static LanguageModel open(Path path) {
    try (IndexFile file = IndexFile.open(path)) {
      file.verify();
      return LanguageModel.open(file);
    }
  }

  /** Whatever is changed in a model, opening it ends, and so does every search in what opens. */
  @ParameterizedTest
  @EnumSource(LmLayout.class)
  void survivesAnyChangedByte(LmLayout layout) {
    model(layout);
    Path whole = folder.resolve("harbour.arpa." + layout + "3.llm");
    try (IndexFile file = IndexFile.open(whole)) {
      file.sections()
          .forEach(
              section -> {
                for (int at = 0; at < section.length(); at += 5) {
                  int place = at;
                  Path path =
                      changed(
                          layout,
                          section.name(),
                          bytes -> bytes.put(place, (byte) (bytes.get(place) ^ 0x81)));
                  try {
                    LanguageModel model = open(path);
                    int[] ids = new int[] {3, 4, 5, 6};
                    search(model, ids);
                  } catch (LmFormatException e) {
                    assertThat(e).hasMessageContaining("changed.llm");
                  }
                }
              });
    }
  }

  private static void search(LanguageModel model, int[] ids) {
    assertThat(model.vocabulary().id("dawn")).isBetween(0, model.vocabulary().size() - 1);
    for (int last = 0; last < model.vocabulary().size(); last++) {
      if (model.table() != null) {
        int node = last;
        for (int word : ids) {
          int next = find(model.table(), node, word);
          node = next < 0 ? node : next;
        }
      } else {
        BTrie.Found found = new BTrie.Found();
        long tree = model.trees().tree(last);
        for (int level = 2; level <= 4 && tree >= 0; level++) {
          int word = ids[level - 1];
          tree =
              model.trees().find(tree, level, word, found) && level < 4
                  ? model.trees().tree(found)
                  : -1;
        }
      }
    }
  }

  private static int find(HashTrie table, int parent, int word) {
    int[] nodes = new int[1];
    table.find(new long[] {HashTrie.key(parent, word)}, 1, nodes, new int[1]);
    return nodes[0];
  }

  @Test
  void refusesOtherSectionsKindsAndVersions() {
    model(LmLayout.HASH);
    Path good = folder.resolve("harbour.arpa.HASH3.llm");
    Path more = folder.resolve("more.llm");
    try (IndexFile file = IndexFile.open(good);
        IndexFileWriter writer = IndexFileWriter.create(more, LanguageModel.KIND, "")) {
      file.sections().forEach(each -> writer.add(each.name(), file.section(each.name())));
      writer.add("more", new byte[1]);
      writer.commit();
    }
    assertThatThrownBy(() -> open(more))
        .isInstanceOf(LmFormatException.class)
        .hasMessageContaining("expected the sections");
    Path newer = folder.resolve("newer.llm");
    try (IndexFileWriter writer =
        IndexFileWriter.create(
            newer,
            new IndexKind(LanguageModel.KIND.id(), 1, LmSections.VERSION + 1, unread -> {}),
            "")) {
      writer.commit();
    }
    assertThatThrownBy(() -> open(newer))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining("expected language-model version 1, found 2");
  }
}
