package io.latimer.pipelines.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ClientPropertiesTest {
  private static final Map<String, String> ENVIRONMENT =
      Map.of("USER", "ann", "PASSWORD", "p$1\\${ENV:USER}");

  private static Map<String, String> resolve(String value) {
    return ClientProperties.of(Map.of("sasl.jaas.config", value)).resolve(ENVIRONMENT::get);
  }

  @Test
  void variablesOfTheEnvironmentAreTakenAsTheyAre() {
    assertThat(resolve("user=${ENV:USER} password=${ENV:PASSWORD};"))
        .containsEntry("sasl.jaas.config", "user=ann password=p$1\\${ENV:USER};");
    assertThat(resolve("$1 ${USER} {ENV:USER} \\"))
        .containsEntry("sasl.jaas.config", "$1 ${USER} {ENV:USER} \\");
  }

  @Test
  void aVariableThatIsNotSetIsNamedAndNoValueIs() {
    assertThatThrownBy(() -> resolve("secret ${ENV:NOWHERE}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("sasl.jaas.config")
        .hasMessageContaining("NOWHERE")
        .hasMessageNotContaining("secret");
  }

  @Test
  void theProcessHasAnEnvironment() {
    assertThat(ClientProperties.of(Map.of("path", "${ENV:PATH}")).resolve())
        .containsEntry("path", System.getenv("PATH"));
  }

  @Test
  void valuesAreNotPrinted() {
    ClientProperties properties = ClientProperties.of(Map.of("password", "hush"));
    assertThat(properties.toString()).isEqualTo("[password]");
    assertThat(properties).isEqualTo(ClientProperties.of(Map.of("password", "hush")));
    assertThat(properties).isNotEqualTo(ClientProperties.NONE);
  }
}
