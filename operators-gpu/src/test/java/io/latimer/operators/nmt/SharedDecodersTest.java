package io.latimer.operators.nmt;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.Result;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharedDecodersTest {
  private final List<DecodeOptions> made = new ArrayList<>();
  private final List<DecodeOptions> closed = new ArrayList<>();
  private final SharedDecoders decoders = new SharedDecoders(this::make);

  private Decode make(DecodeOptions options) {
    made.add(options);
    return new Decode() {
      @Override
      public List<Result<Decoded>> apply(List<int[]> batch) {
        return List.of();
      }

      @Override
      public int inFlight() {
        return options.beamSize();
      }

      @Override
      public void close() {
        closed.add(options);
      }
    };
  }

  @Test
  void equalOptionsShareADecoderUntilTheLastUserCloses() {
    DecodeOptions options = DecodeOptions.beam(4);
    Decode one = decoders.get(options);
    Decode other = decoders.get(DecodeOptions.beam(4));
    assertThat(made).containsExactly(options);
    one.close();
    one.close();
    assertThat(closed).isEmpty();
    assertThat(other.inFlight()).isEqualTo(4);
    other.close();
    assertThat(closed).containsExactly(options);
    decoders.get(options).close();
    assertThat(made).containsExactly(options, options);
    assertThat(closed).containsExactly(options, options);
  }

  @Test
  void otherOptionsHaveADecoderOfTheirOwn() {
    try (Decode four = decoders.get(DecodeOptions.beam(4));
        Decode five = decoders.get(DecodeOptions.beam(5))) {
      assertThat(four.inFlight()).isEqualTo(4);
      assertThat(five.inFlight()).isEqualTo(5);
    }
    assertThat(closed).containsExactly(DecodeOptions.beam(5), DecodeOptions.beam(4));
  }
}
