package io.latimer.operators.nmt.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.RecordException;
import io.latimer.operators.nmt.decode.DecodeInput;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.model.CellKind;
import io.latimer.operators.nmt.model.LayerNormalization;
import io.latimer.operators.nmt.model.RnnSettings;
import io.latimer.operators.util.Team;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class GpuCallTest {
  private static final RnnSettings NETWORK =
      RnnSettings.plain(10, 10, 2, 2, 2, CellKind.GRU, LayerNormalization.NONE);

  private static int[] sentence(int length) {
    int[] ids = new int[length];
    Arrays.fill(ids, 0, length - 1, 2);
    return ids;
  }

  @Test
  void moreAttentionThanASearchCanKeepIsAnsweredAtOnce() {
    DecodeOptions options = DecodeOptions.beam(64).withAlignment(true).withMaxLengthFactor(16);
    GpuCall most = new GpuCall(List.of(DecodeInput.of(sentence(4096))), NETWORK, options);
    assertThat(most.isDone()).isFalse();
    GpuCall more =
        new GpuCall(
            List.of(DecodeInput.of(sentence(4096))), NETWORK, options.withMaxLengthFactor(16.1f));
    assertThat(more.isDone()).isTrue();
    Team team = new Team(1);
    assertThatThrownBy(more.results(team).get(0)::orElseThrow)
        .isInstanceOf(RecordException.class)
        .hasMessage(
            "the sentence of 4096 tokens does not fit into a search on a GPU: a beam of 64 with up"
                + " to 65946 words has 17287348224 attention weights, and at most 17179869184 can"
                + " be kept; turn off the alignment, or use a smaller beam or length factor");
  }
}
