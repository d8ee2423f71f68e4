package io.latimer.operators;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.CpuModel;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslationModel;
import io.latimer.operators.text.TextPipeline;

/**
 * The parts of a translation model that translators on the CPU share. The weights as the file holds
 * them are not among these, so that they are not kept twice.
 */
record LoadedTranslator(Translate.Model model, TextPipeline pipeline, CpuModel weights)
    implements AutoCloseable {

  static LoadedTranslator load(IndexFile file) {
    TranslationModel model = TranslationModel.open(file);
    try {
      return new LoadedTranslator(
          new Translate.Model(
              model.id(),
              model.version(),
              model.text().sourceLanguage(),
              model.text().targetLanguage()),
          model.pipeline(),
          CpuModel.of(model.network()));
    } catch (RuntimeException e) {
      model.close();
      throw e;
    }
  }

  @Override
  public void close() {
    try {
      weights.close();
    } finally {
      pipeline.close();
    }
  }
}
