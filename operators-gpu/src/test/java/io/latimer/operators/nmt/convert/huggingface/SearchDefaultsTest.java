package io.latimer.operators.nmt.convert.huggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.nmt.convert.JsonSettings;
import io.latimer.operators.nmt.model.BeamRule;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.SearchSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SearchDefaultsTest {
  @TempDir Path folder;

  private SearchDefaults defaults(String config, String generation) throws IOException {
    Path file = Files.writeString(folder.resolve("config.json"), config);
    if (generation != null) {
      Files.writeString(folder.resolve("generation_config.json"), generation);
    }
    return SearchDefaults.of(folder, JsonSettings.read(file));
  }

  @Test
  void theFileForGenerationCounts() throws IOException {
    SearchDefaults found =
        defaults(
            "{\"num_beams\": 2, \"bad_words_ids\": [[7]]}",
            "{\"num_beams\": 6, \"early_stopping\": true, \"bad_words_ids\": [[7], [8, 9], [10]]}");
    assertThat(found.search(Family.M2M100)).isEqualTo(new SearchSettings(BeamRule.FIRST_ENDED, 6));
    assertThat(found.search(Family.MARIAN)).isEqualTo(new SearchSettings(BeamRule.SHRINK, 6));
    assertThat(found.forbidden()).isEqualTo(List.of(7, 10, 7));
  }

  @Test
  void olderFoldersHaveTheirsInTheConfiguration() throws IOException {
    assertThat(defaults("{\"num_beams\": 4, \"early_stopping\": true}", null).search(Family.T5))
        .isEqualTo(new SearchSettings(BeamRule.FIRST_ENDED, 4));
  }

  @Test
  void withoutEitherTheSearchIsThatOfTransformers() throws IOException {
    assertThat(defaults("{}", "{\"early_stopping\": \"never\"}").search(Family.T5))
        .isEqualTo(new SearchSettings(BeamRule.BEST_ENDED, 0));
  }

  @Test
  void aBeamIsAtMostTheLargest() throws IOException {
    assertThat(defaults("{\"num_beams\": 100}", null).search(Family.T5).beamSize()).isEqualTo(64);
    SearchDefaults none = defaults("{\"num_beams\": 0}", null);
    assertThatThrownBy(() -> none.search(Family.T5))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining("config.json: num_beams: expected a whole number from 1, found 0");
  }
}
