package io.latimer.pipelines.flink.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class InFlightCommandsTest {
  private final GroupCommandsTest.Master master = new GroupCommandsTest.Master();
  private final EndedCommands ended = new EndedCommands(master);

  @Test
  void thereIsRoomOnceCommandsHaveEnded() throws Exception {
    InFlightCommands inFlight = new InFlightCommands(master, 2);
    inFlight.add("a");
    assertThat(inFlight.hasRoom()).isTrue();
    inFlight.add("b");
    assertThat(inFlight.hasRoom()).isFalse();
    ended.add("other");
    assertThat(inFlight.hasRoom()).isFalse();
    ended.add("a");
    assertThat(inFlight.hasRoom()).isTrue();
    inFlight.add("c");
    assertThat(inFlight.hasRoom()).isFalse();
  }

  /** Others of the job may end many before a task asks for its own again. */
  @Test
  void commandsWhoseEndWasForgottenHaveEnded() throws Exception {
    InFlightCommands inFlight = new InFlightCommands(master, 1);
    inFlight.add("a");
    ended.add("a");
    for (int i = 1; i < EndedCommands.REMEMBERED; i++) {
      ended.add("other " + i);
    }
    assertThat(ended.among(List.of("a")).commands()).containsExactly("a");
    ended.add("last");
    assertThat(ended.among(List.of("a")).commands()).isEmpty();
    assertThat(inFlight.hasRoom()).isTrue();
  }
}
