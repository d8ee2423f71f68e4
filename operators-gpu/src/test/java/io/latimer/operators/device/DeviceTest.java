package io.latimer.operators.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceTest {

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "CPU", " cpu "})
  void readsTheCpu(String name) {
    assertThat(Device.parse(name)).isEqualTo(Device.CPU);
    assertThat(Device.parse(Device.CPU.toString())).isEqualTo(Device.CPU);
  }

  @Test
  void namesAGpuAsItIsRead() {
    assertThat(Device.gpu(3)).hasToString("gpu:3");
    assertThat(Device.gpu(0)).isNotEqualTo(Device.CPU);
  }

  @ParameterizedTest
  @ValueSource(strings = {"gpu:98", "GPU:99"})
  void neverFallsBackFromAGpu(String name) {
    assertThatThrownBy(() -> Device.parse(name))
        .isInstanceOf(OperatorException.class)
        .hasMessageStartingWith("device gpu:9");
  }

  @Test
  void mayBeThatOfAnotherOperator() {
    for (Device other : new Device[] {Device.CPU, Device.gpu(98)}) {
      assertThat(Device.parse("", other)).isEqualTo(other);
      assertThat(Device.parse("cpu", other)).isEqualTo(Device.CPU);
    }
    assertThatThrownBy(() -> Device.parse("gpu", Device.gpu(98)))
        .isInstanceOf(OperatorException.class)
        .hasMessageStartingWith("device gpu:98");
    assertThat(Device.parse("auto", Device.gpu(98))).isEqualTo(Device.CPU);
  }

  @Test
  void refusesAnythingElse() {
    assertThatThrownBy(() -> Device.parse("tpu"))
        .hasMessage("device \"tpu\" is not known; use cpu, auto, gpu or gpu:N");
  }
}
