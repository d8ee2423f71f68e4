package io.latimer.operators.nmt.gpu;

import io.latimer.operators.nmt.convert.huggingface.HuggingFaceFolderTest;
import io.latimer.operators.nmt.convert.huggingface.HuggingFaceGoldenTest;
import io.latimer.operators.nmt.convert.huggingface.TinyFolders;
import io.latimer.operators.nmt.convert.huggingface.TokenizerReaderTest;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.text.Guidance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Models in Hugging Face's layout on a GPU, in 32 bits: as on the CPU. */
class PublishedModelsGpuTest {
  @RegisterExtension final GpuDecoders gpu = new GpuDecoders();
  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource
  void translatesAsTheLibraryDoes(HuggingFaceGoldenTest.Model model) throws IOException {
    GpuWeights weights = gpu.bring(model.network(), NmtPrecision.FLOAT32);
    HuggingFaceGoldenTest.compare(
        model, options -> new DecodeGpu(weights, options, DecodeTuning.DEFAULT));
  }

  @Test
  void aMarianModelTranslatesAsMarianDoes() throws IOException {
    Path model = HuggingFaceFolderTest.marian(folder);
    HuggingFaceFolderTest.compare(model, DecodeOptions.greedy(), "greedy", gpu.device());
    HuggingFaceFolderTest.compare(model, DecodeOptions.beam(5), "beam5", gpu.device());
  }

  @Test
  void textIsTranslatedInTheLanguagesThatAreAskedFor() throws IOException {
    Path model = TokenizerReaderTest.imported(TinyFolders.nllb(place("nllb"), false), folder);
    Guidance guidance = new Guidance("en", "de", "");
    TokenizerReaderTest.compare(model, "hf-nllb-tiny", guidance, 1, gpu.device());
    TokenizerReaderTest.compare(model, "hf-nllb-tiny", guidance, 5, gpu.device());
    TokenizerReaderTest.together(model, gpu.device());
    model = TokenizerReaderTest.imported(TinyFolders.mbart(place("mbart"), false), folder);
    TokenizerReaderTest.compare(model, "hf-mbart-tiny", guidance, 5, gpu.device());
    model = TokenizerReaderTest.imported(TinyFolders.t5(place("t5"), false), folder);
    TokenizerReaderTest.compare(model, "hf-t5-tiny", Guidance.NONE, 1, gpu.device());
    TokenizerReaderTest.compare(model, "hf-t5-tiny", Guidance.NONE, 5, gpu.device());
  }

  private Path place(String name) throws IOException {
    return Files.createDirectory(folder.resolve(name));
  }
}
