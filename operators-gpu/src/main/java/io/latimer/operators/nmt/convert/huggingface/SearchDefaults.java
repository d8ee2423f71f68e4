package io.latimer.operators.nmt.convert.huggingface;

import io.latimer.operators.nmt.convert.JsonSettings;
import io.latimer.operators.nmt.model.BeamRule;
import io.latimer.operators.nmt.model.SearchSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How {@code generate} searches with a model: {@code generation_config.json}, or, in older folders,
 * {@code config.json}.
 */
final class SearchDefaults {
  private static final String FILE = "generation_config.json";
  private static final String BAD_WORDS = "bad_words_ids";

  private final List<JsonSettings> files = new ArrayList<>();

  private SearchDefaults(Path folder, JsonSettings config) {
    JsonSettings.readIfThere(folder.resolve(FILE)).ifPresent(files::add);
    files.add(config);
  }

  /** Reads those of a folder. */
  static SearchDefaults of(Path folder, JsonSettings config) {
    return new SearchDefaults(folder, config);
  }

  /**
   * The search. Models of the Marian kind are searched as Marian does.
   *
   * @throws io.latimer.operators.nmt.model.ModelFormatException if {@code num_beams} is not a
   *     number of hypotheses
   */
  SearchSettings search(Family family) {
    int beams = with("num_beams").map(file -> file.integer("num_beams", 1)).orElse(0);
    beams = Math.min(beams, BeamRule.MAX_BEAM);
    if (family == Family.MARIAN) {
      return new SearchSettings(BeamRule.SHRINK, beams);
    }
    boolean early = with("early_stopping").map(file -> file.isTrue("early_stopping")).orElse(false);
    return new SearchSettings(early ? BeamRule.FIRST_ENDED : BeamRule.BEST_ENDED, beams);
  }

  /** The first file that has a value. */
  private Optional<JsonSettings> with(String key) {
    return files.stream().filter(file -> file.has(key)).findFirst();
  }

  /** The words that are never produced. */
  List<Integer> forbidden() {
    List<Integer> ids = new ArrayList<>();
    files.forEach(file -> ids.addAll(file.singles(BAD_WORDS)));
    return ids;
  }
}
