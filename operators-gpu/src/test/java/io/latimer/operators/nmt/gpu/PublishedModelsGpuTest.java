package io.latimer.operators.nmt.gpu;

import io.latimer.operators.nmt.convert.huggingface.HuggingFaceFolderTest;
import io.latimer.operators.nmt.convert.huggingface.HuggingFaceGoldenTest;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.NmtPrecision;
import java.io.IOException;
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
}
