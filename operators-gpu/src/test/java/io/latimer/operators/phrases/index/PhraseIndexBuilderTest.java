package io.latimer.operators.phrases.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.CorruptIndexException;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.Section;
import io.latimer.operators.index.SettingsJson;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.phrases.SourcePhrase;
import io.latimer.operators.util.BuildProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PhraseIndexBuilderTest {
  private static final ParallelText BASE =
      ParallelText.of("a b c ||| x y z ||| 0-0 1-1 2-2", "a b ||| x y ||| 0-0 1-1");
  private static final ParallelText MORE = ParallelText.of("a d ||| x w ||| 0-0 1-1");

  @TempDir private Path folder;

  private static int segments(Path path) {
    try (IndexFile file = IndexFile.open(path)) {
      return PhraseIndex.open(file).segments().size();
    }
  }

  private static long occurrences(Path path, String phrase) {
    try (Phrases phrases = Phrases.opener(PhraseOptions.DEFAULT).open(path, Device.CPU)) {
      return phrases.apply(List.of(phrase)).get(0).orElseThrow().phrases().stream()
          .filter(each -> each.text().equals(phrase))
          .mapToLong(SourcePhrase::occurrences)
          .sum();
    }
  }

  private PhraseIndexReport append(Path index, ParallelText text, Path out) {
    return PhraseIndexBuilder.append(
        index, text.write(folder), false, out, "v2", BuildProgress.NONE);
  }

  private List<String> files() throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void aDamagedIndexIsNotAddedToAndStaysAsItIs() throws IOException {
    Path index = BASE.index(folder, "index.lpx");
    byte[] bytes = Files.readAllBytes(index);
    try (IndexFile file = IndexFile.open(index)) {
      Section words =
          file.sections().stream()
              .filter(section -> section.name().equals("vocab/target/text"))
              .findFirst()
              .orElseThrow();
      bytes[(int) words.offset()] ^= 1;
    }
    Files.write(index, bytes);
    assertThatThrownBy(() -> append(index, MORE, index))
        .isInstanceOf(CorruptIndexException.class)
        .hasMessageContaining("vocab/target/text");
    assertThatThrownBy(() -> PhraseIndexBuilder.merge(index, index, "", BuildProgress.NONE))
        .isInstanceOf(CorruptIndexException.class);
    assertThat(index).hasBinaryContent(bytes);
  }

  @Test
  void equalTextGivesEqualBytes() {
    ParallelText text = ParallelText.random(new Random(1));
    Path first = text.index(folder, "first.lpx");
    assertThat(text.index(folder, "second.lpx")).hasSameBinaryContentAs(first);
  }

  @Test
  void reportsWhatIsIndexed() throws IOException {
    List<String> steps = new ArrayList<>();
    long[] read = new long[1];
    PhraseTextFiles files = BASE.write(folder);
    Files.writeString(files.source(), Files.readString(files.source()) + "\nb\n");
    Files.writeString(files.target(), Files.readString(files.target()) + "x\ny\n");
    Files.writeString(files.alignment(), Files.readString(files.alignment()) + "\n0-0\n");
    Path out = folder.resolve("index.lpx");
    PhraseIndexReport report =
        PhraseIndexBuilder.index(
            files,
            true,
            out,
            "v1",
            new BuildProgress() {
              @Override
              public void read(long bytes) {
                read[0] += bytes;
              }

              @Override
              public void step(String what) {
                steps.add(what);
              }
            });
    assertThat(report).isEqualTo(new PhraseIndexReport(3, 6, 6, 3, 3, 1, 1, Files.size(out)));
    assertThat(steps).containsExactly("reading", "sorting", "writing");
    assertThat(read[0])
        .isEqualTo(
            Files.size(files.source())
                + Files.size(files.target())
                + Files.size(files.alignment()));
  }

  @Test
  void refusesTextWithoutPairsAndLeavesNoFile() throws IOException {
    PhraseTextFiles files = new ParallelText(List.of()).write(folder);
    Path out = folder.resolve("index.lpx");
    assertThatThrownBy(() -> PhraseIndexBuilder.index(files, false, out, "", BuildProgress.NONE))
        .isInstanceOf(PhraseTextException.class)
        .hasMessage(files.source() + " has no sentence pair");
    for (Path file : List.of(files.source(), files.target(), files.alignment())) {
      Files.writeString(file, "\n");
    }
    assertThatThrownBy(() -> PhraseIndexBuilder.index(files, true, out, "", BuildProgress.NONE))
        .isInstanceOf(PhraseTextException.class)
        .hasMessage(files.source() + " has no sentence pair that can be used");
    assertThat(files()).noneMatch(name -> name.contains("lpx"));
  }

  @Test
  void appendsToAnotherFileOrInPlace() throws IOException {
    Path base = BASE.index(folder, "base.lpx");
    Path before = folder.resolve("before.lpx");
    Files.copy(base, before);
    Path out = folder.resolve("out.lpx");
    PhraseIndexReport report = append(base, MORE, out);
    assertThat(report).isEqualTo(new PhraseIndexReport(3, 7, 7, 4, 4, 2, 0, Files.size(out)));
    assertThat(base).hasSameBinaryContentAs(before);
    append(base, MORE, base);
    assertThat(base).hasSameBinaryContentAs(out);
    assertThat(segments(base)).isEqualTo(2);
    assertThat(occurrences(base, "a")).isEqualTo(3);
    assertThat(occurrences(base, "a d")).isEqualTo(1);
    try (IndexFile file = IndexFile.open(base)) {
      assertThat(file.version()).isEqualTo("v2");
    }
  }

  @Test
  void anAppendThatFailsChangesNothing() throws IOException {
    Path base = BASE.index(folder, "base.lpx");
    Path before = folder.resolve("before.lpx");
    Files.copy(base, before);
    PhraseTextFiles files = MORE.write(folder);
    Files.writeString(files.alignment(), "0-7\n");
    List<String> names = files();
    assertThatThrownBy(
            () -> PhraseIndexBuilder.append(base, files, false, base, "", BuildProgress.NONE))
        .isInstanceOf(PhraseTextException.class)
        .hasMessageContaining("point 0-7");
    assertThat(base).hasSameBinaryContentAs(before);
    assertThat(files()).isEqualTo(names);
    Path missing = folder.resolve("missing.lpx");
    assertThatThrownBy(() -> append(missing, MORE, base))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining("missing.lpx does not exist");
    assertThat(base).hasSameBinaryContentAs(before);
  }

  @Test
  void manyAppendsLeaveFewSegments() {
    Path index = BASE.index(folder, "index.lpx");
    int most = 0;
    for (int i = 0; i < 60; i++) {
      append(index, MORE, index);
      most = Math.max(most, segments(index));
    }
    assertThat(most).isBetween(3, 8);
    assertThat(occurrences(index, "a d")).isEqualTo(60);
    PhraseIndexReport report = PhraseIndexBuilder.merge(index, index, "v3", BuildProgress.NONE);
    assertThat(report)
        .isEqualTo(new PhraseIndexReport(62, 125, 125, 4, 4, 1, 0, report.fileBytes()));
    assertThat(occurrences(index, "a d")).isEqualTo(60);
  }

  /** The segment of an index many times: an index that only other programs make. */
  private Path repeated(Path index, int times) {
    Path out = folder.resolve("repeated.lpx");
    try (IndexFile file = IndexFile.open(index);
        IndexFileWriter writer = IndexFileWriter.create(out, PhraseIndex.KIND, "")) {
      PhraseSettings.Segment segment = PhraseIndex.open(file).segments().get(0).settings();
      byte[] json = new byte[(int) file.length("settings")];
      file.section("settings").get(json);
      PhraseSettings old = PhraseSettings.fromJson("test", json);
      PhraseSettings settings =
          new PhraseSettings(
              old.sourceWords(),
              old.targetWords(),
              old.sourceSlots(),
              old.targetSlots(),
              old.lexiconSlots(),
              Collections.nCopies(times, segment));
      writer.add("settings", SettingsJson.write(settings));
      for (Section section : file.sections()) {
        if (!section.name().equals("settings") && !section.name().startsWith("segment")) {
          writer.add(section.name(), file.section(section.name()));
        }
      }
      for (int i = 0; i < times; i++) {
        new CopiedSegment(file, 0, segment).write(writer, i);
      }
      writer.commit();
    }
    return out;
  }

  @Test
  void anIndexHasUpTo64SegmentsAndAppendingKeepsToThem() {
    Path full = repeated(BASE.index(folder, "base.lpx"), PhraseSettings.MAX_SEGMENTS);
    assertThat(segments(full)).isEqualTo(64);
    assertThat(occurrences(full, "a b")).isEqualTo(128);
    assertThat(occurrences(full, "b c")).isEqualTo(64);
    append(full, MORE, full);
    assertThat(segments(full)).isLessThanOrEqualTo(64);
    assertThat(occurrences(full, "a b")).isEqualTo(128);
    assertThat(occurrences(full, "a d")).isEqualTo(1);
    PhraseIndexBuilder.merge(full, full, "", BuildProgress.NONE);
    assertThat(segments(full)).isEqualTo(1);
    assertThat(occurrences(full, "a b")).isEqualTo(128);
  }

  @Test
  void anOpenIndexStaysWhenItsFileIsReplaced() throws IOException {
    Path index = BASE.index(folder, "index.lpx");
    Path other = MORE.index(folder, "other.lpx");
    try (Phrases phrases = Phrases.opener(PhraseOptions.DEFAULT).open(index, Device.CPU)) {
      Files.move(other, index, StandardCopyOption.REPLACE_EXISTING);
      assertThat(phrases.apply(List.of("a b c")).get(0).orElseThrow().phrases()).hasSize(6);
    }
    assertThat(occurrences(index, "b")).isZero();
  }
}
