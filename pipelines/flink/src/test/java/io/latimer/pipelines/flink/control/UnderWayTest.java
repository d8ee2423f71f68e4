package io.latimer.pipelines.flink.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class UnderWayTest {
  private final GroupCommandsTest.Master master = new GroupCommandsTest.Master();
  private final EndedCommands ended = new EndedCommands(master);

  @Test
  void thereIsRoomOnceCommandsHaveEnded() throws Exception {
    UnderWay underWay = new UnderWay(master, 2);
    underWay.add("a");
    assertThat(underWay.hasRoom()).isTrue();
    underWay.add("b");
    assertThat(underWay.hasRoom()).isFalse();
    ended.add("other");
    assertThat(underWay.hasRoom()).isFalse();
    ended.add("a");
    assertThat(underWay.hasRoom()).isTrue();
    underWay.add("c");
    assertThat(underWay.hasRoom()).isFalse();
  }

  /** Others of the job may end many before a task asks for its own again. */
  @Test
  void commandsWhoseEndWasForgottenHaveEnded() throws Exception {
    UnderWay underWay = new UnderWay(master, 1);
    underWay.add("a");
    ended.add("a");
    for (int i = 1; i < EndedCommands.REMEMBERED; i++) {
      ended.add("other " + i);
    }
    assertThat(ended.among(List.of("a")).commands()).containsExactly("a");
    ended.add("last");
    assertThat(ended.among(List.of("a")).commands()).isEmpty();
    assertThat(underWay.hasRoom()).isTrue();
  }
}
