package io.latimer.operators.nmt.convert.argos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.Translated;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.published.PublishedModel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packages of Argos Translate become model files, and hostile zip files do not. */
final class ArgosPackageTest {
  private static final String TOP = ArgosPackages.TOP;
  private static final int HEADER = 42;

  @TempDir private Path folder;

  private Path file() {
    return folder.resolve("p.argosmodel");
  }

  @Test
  void aPackageTranslatesTextInItsLanguages() throws IOException {
    Path file = ArgosPackages.arabic(folder);
    assertThat(PublishedModel.isOne(file)).isTrue();
    PublishedModel model = PublishedModel.open(file);
    assertThat(model.describe())
        .startsWith("format: Argos package 1.5, CTranslate2, binary version 2")
        .contains(
            "vocabulary: 51 source and 43 target ids, SentencePiece (sentencepiece.model)",
            "languages: ar to en");
    translates(model);
    String digest = model.digest();
    Files.write(file, ArgosPackages.zip(Map.of(TOP + "metadata.json", new byte[1])));
    assertThat(PublishedModel.open(file).digest()).isNotEqualTo(digest);
  }

  private void translates(PublishedModel model) {
    Path out = folder.resolve("out.lmx");
    assertThat(model.importTo(out, "").warnings()).isEmpty();
    TranslateOptions options = TranslateOptions.of(DecodeOptions.greedy());
    try (Translate translate = Translate.opener(options).open(out, Device.CPU)) {
      Translated found = translate.apply(List.of(ArgosPackages.ARABIC)).get(0).orElseThrow();
      assertThat(found.text()).isEqualTo(ArgosPackages.LATIN);
    }
  }

  @Test
  void aPackageWithBpeTranslatesText() throws IOException {
    Files.write(file(), ArgosPackages.zip(ArgosPackages.entriesWithBpe(folder)));
    PublishedModel model = PublishedModel.open(file());
    assertThat(model.describe())
        .contains(
            "vocabulary: 51 source and 43 target ids, BPE (bpe.model) of words as Moses writes them");
    translates(model);
  }

  @Test
  void codesOfArgosBecomeTags() throws IOException {
    Map<String, byte[]> entries = ArgosPackages.entries(folder);
    metadata(entries, "{\"from_code\": \"zt\", \"to_code\": \"pb\", \"target_prefix\": \"a\"}");
    Files.write(file(), ArgosPackages.zip(entries));
    assertThat(PublishedModel.open(file()).describe())
        .startsWith("format: Argos package, CTranslate2, binary version 2")
        .endsWith("languages: zh-Hant to pt-BR");
    Path out = folder.resolve("out.lmx");
    PublishedModel.open(file()).importTo(out, "");
    TranslateOptions options = TranslateOptions.of(DecodeOptions.greedy());
    try (Translate translate = Translate.opener(options).open(out, Device.CPU)) {
      assertThat(translate.apply(List.of(ArgosPackages.ARABIC)).get(0).orElseThrow().text())
          .as("what translations begin with is not part of them")
          .isEqualTo(ArgosPackages.LATIN.substring(1));
    }
  }

  private static void metadata(Map<String, byte[]> entries, String json) {
    entries.put(TOP + "metadata.json", ArgosPackages.utf8(json));
  }

  @Test
  void whatIsNoTranslationModelIsRefusedByName() throws IOException {
    Map<String, byte[]> sound = ArgosPackages.entries(folder);
    refused(sound, e -> e.remove(TOP + "metadata.json"), "/metadata.json cannot be read: no such");
    refused(sound, e -> metadata(e, "{"), "/metadata.json is not JSON");
    refused(
        sound,
        e -> metadata(e, "{\"type\": \"sbd\"}"),
        "/metadata.json: the package is of type \"sbd\", but only translation models can be read");
    refused(sound, e -> metadata(e, "{}"), "/metadata.json: from_code is missing");
    refused(
        sound,
        e -> metadata(e, "{\"from_code\": \"en\", \"to_code\": \"../x\"}"),
        "to_code is \"../x\", but only models that name a language");
    refused(
        sound,
        e ->
            metadata(e, "{\"from_code\": \"en\", \"to_code\": \"de\", \"target_prefix\": \"{x}\"}"),
        "/metadata.json: target_prefix is \"{x}\", but only a token of the vocabulary");
    refused(
        sound,
        e ->
            metadata(
                e, "{\"from_code\": \"en\", \"to_code\": \"de\", \"target_prefix\": \"none\"}"),
        "/model/model.bin: expected the token none in the vocabulary of 43");
    refused(sound, e -> e.remove(TOP + "model/model.bin"), "/model/model.bin: expected a model of");
    refused(
        sound,
        e -> e.put(TOP + "model/model.bin", new byte[] {(byte) 0x80, 2, 0, 0, 0, 0, 0, 0}),
        "/model/model.bin: expected a model of CTranslate2");
    refused(
        sound,
        e -> e.remove(TOP + "model/target_vocabulary.txt"),
        "/model: expected shared_vocabulary.json");
    refused(
        sound,
        e -> e.remove(TOP + "sentencepiece.model"),
        ": expected sentencepiece.model or bpe.model, found neither");
    refused(sound, e -> e.put("other/x", new byte[1]), ": expected one folder with all files");
    refused(sound, e -> e.put("x", new byte[1]), ": expected one folder with all files");
    refused(sound, Map::clear, ": expected one folder with all files, found none");
  }

  @Test
  void namesThatLeadOutsideAreRefused() throws IOException {
    Map<String, byte[]> sound = ArgosPackages.entries(folder);
    for (String name :
        List.of(
            TOP + "../../evil",
            "../evil",
            "/etc/evil",
            "C:/evil",
            TOP + "./model/model.bin",
            TOP + "/model/model.bin",
            "..")) {
      refused(
          sound,
          e -> e.put(name, new byte[1]),
          " entry " + name + ": expected a name within the folder it is unpacked to");
    }
    refused(sound, e -> e.put(TOP + "..\\evil", new byte[1]), "found byte 0x5c in it");
    assertThat(folder.resolveSibling("evil")).doesNotExist();
  }

  @Test
  void linksDuplicatesAndOverlapsAreRefused() throws IOException {
    byte[] sound = ArgosPackages.zip(ArgosPackages.entries(folder));
    String model = TOP + "model/model.bin";
    refused(
        patched(sound, model, entry -> entry.put(5, (byte) 3).putInt(38, 0xa1ff << 16)),
        " entry " + model + ": expected files and folders, found a link");
    Map<String, byte[]> two = new LinkedHashMap<>(ArgosPackages.entries(nested()));
    two.put(TOP + "metadata.jsoN", new byte[9]);
    byte[] twice =
        new String(ArgosPackages.zip(two), StandardCharsets.ISO_8859_1)
            .replace("metadata.jsoN", "metadata.json")
            .getBytes(StandardCharsets.ISO_8859_1);
    refused(twice, " has two entries named " + TOP + "metadata.json");
    int header = central(sound, TOP + "metadata.json").getInt(HEADER);
    refused(
        patched(sound, model, entry -> entry.putInt(HEADER, header)), "overlaps the entry before");
  }

  private Path nested() throws IOException {
    return Files.createDirectory(folder.resolve("nested"));
  }

  @Test
  void sizesAndChecksumsThatLieAreRefused() throws IOException {
    byte[] sound = ArgosPackages.zip(ArgosPackages.entries(folder));
    String model = TOP + "model/model.bin";
    int size = central(sound, model).getInt(24);
    refused(
        patched(sound, model, entry -> entry.putInt(24, size - 1)),
        " entry " + model + ": expected " + (size - 1) + " bytes, found more");
    refused(
        patched(sound, model, entry -> entry.putInt(24, size + 1)),
        " entry " + model + ": expected " + (size + 1) + " bytes, found " + size);
    refused(
        patched(sound, model, entry -> entry.putInt(24, Integer.MAX_VALUE)),
        " entry " + model + ": ");
    refused(
        patched(sound, model, entry -> entry.putInt(16, entry.getInt(16) + 1)),
        " entry " + model + ": expected CRC-32 ");
    refused(patched(sound, model, entry -> entry.put(8, (byte) 1)), "has an encrypted entry");
    refused(
        patched(sound, model, entry -> entry.putShort(10, (short) 12)),
        "found compression method 12");
    for (int length : new int[] {0, 4, 30, sound.length / 2, sound.length - 1}) {
      refused(Arrays.copyOf(sound, length), "");
    }
    assertThatThrownBy(() -> PublishedModel.open(folder.resolve("no.argosmodel")).describe())
        .hasMessage(folder.resolve("no.argosmodel") + " cannot be read: no such file");
  }

  @Test
  void zipBombsAreRefusedBeforeTheyAreUnpacked() throws IOException {
    Map<String, byte[]> sound = ArgosPackages.entries(folder);
    refused(
        sound,
        e -> e.put(TOP + "model/model.bin", new byte[120 << 20]),
        " entry " + TOP + "model/model.bin: the file of ",
        "bytes would inflate to more than");
    refused(
        sound,
        e -> {
          for (int i = 0; i < 1 << 14; i++) {
            e.put(TOP + i, new byte[0]);
          }
        },
        " has too many entries: expected at most 16384");
  }

  /** A zip file with an entry of its directory changed. */
  private static byte[] patched(byte[] zip, String name, Consumer<ByteBuffer> change) {
    byte[] copy = zip.clone();
    change.accept(central(copy, name));
    return copy;
  }

  /** An entry of the directory, from its signature. */
  private static ByteBuffer central(byte[] zip, String name) {
    ByteBuffer all = ByteBuffer.wrap(zip).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = all.getInt(zip.length - 6); all.getInt(at) == 0x02014b50; ) {
      int length = all.getShort(at + 28);
      if (new String(zip, at + 46, length, StandardCharsets.UTF_8).equals(name)) {
        return all.slice(at, 46).order(ByteOrder.LITTLE_ENDIAN);
      }
      at += 46 + length + all.getShort(at + 30) + all.getShort(at + 32);
    }
    throw new AssertionError(name);
  }

  private void refused(
      Map<String, byte[]> sound, Consumer<Map<String, byte[]>> change, String... messages)
      throws IOException {
    Map<String, byte[]> entries = new LinkedHashMap<>(sound);
    change.accept(entries);
    refused(ArgosPackages.zip(entries), messages);
  }

  private void refused(byte[] zip, String... messages) throws IOException {
    Files.write(file(), zip);
    Path out = folder.resolve("refused.lmx");
    assertThatThrownBy(() -> PublishedModel.open(file()).importTo(out, ""))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageStartingWith(file().toString())
        .hasMessageContainingAll(messages);
    assertThat(out).doesNotExist();
  }
}
