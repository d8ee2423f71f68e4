package io.latimer.operators.lm;

import io.latimer.operators.RecordException;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.lm.model.LmState;

/** Checks input before scoring; all devices share the messages. */
final class LmChecks {
  private LmChecks() {}

  /**
   * Checks a sentence.
   *
   * @return the error, null if there is none
   */
  static RecordException check(LanguageModel model, LmSentence sentence) {
    int words = model.vocabulary().size();
    int[] ids = sentence.ids();
    for (int i = 0; i < ids.length; i++) {
      if (ids[i] < 0 || ids[i] >= words) {
        return noId("word " + (i + 1), ids[i], words);
      }
    }
    LmState state = sentence.state();
    if (state.length() > model.order() - 1) {
      return new RecordException(
          "the state has " + state.length() + " words, the model is of order " + model.order());
    }
    for (int i = 0; i < state.length(); i++) {
      if (state.words()[i] < 0 || state.words()[i] >= words) {
        return noId("word " + (i + 1) + " of the state", state.words()[i], words);
      }
      if (!Float.isFinite(state.backoffs()[i])) {
        return new RecordException(
            "back-off " + (i + 1) + " of the state is " + state.backoffs()[i]);
      }
    }
    return null;
  }

  /**
   * Checks queries.
   *
   * @throws RecordException naming the first invalid query
   */
  static void check(LanguageModel model, LmQueries queries) {
    int words = model.vocabulary().size();
    int width = queries.width();
    if (width > model.order()) {
      throw new RecordException(
          "the queries have " + width + " ids each, the model is of order " + model.order());
    }
    int[] ids = queries.ids();
    int place = 0; // position in the query
    boolean begun = false;
    for (int i = 0; i < ids.length; i++) {
      int id = ids[i];
      boolean gap = id == LmQueries.NONE && !begun && place < width - 1;
      if ((id < 0 || id >= words) && !gap) {
        throw new RecordException(
            "query " + (i / width + 1) + ": " + noId("id " + (place + 1), id, words).getMessage());
      }
      begun |= !gap;
      if (++place == width) {
        place = 0;
        begun = false;
      }
    }
  }

  private static RecordException noId(String what, int id, int words) {
    return new RecordException(
        what + " is " + id + ", but the model's ids are 0 to " + (words - 1));
  }
}
