package io.latimer.pipelines.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
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

  /** Kafka reads the whole of it back: SecuredKafkaTest. */
  @Test
  void inTheQuotesOfAJaasTextSignsOfItsOwnAreEscaped() {
    UnaryOperator<String> environment = Map.of("A", "a\"b\\c'd\ne")::get;
    for (String name : List.of("sasl.jaas.config", "listener.name.x.sasl.jaas.config")) {
      assertThat(
              ClientProperties.of(
                      Map.of(name, "${ENV:A} x=\"\\\"${ENV:A}\" y='${ENV:A}' z=${ENV:A};"))
                  .resolve(environment))
          .containsEntry(
              name,
              "a\"b\\c'd\ne x=\"\\\"a\\\"b\\\\c\\'d\\ne\""
                  + " y='a\\\"b\\\\c\\'d\\ne' z=a\"b\\c'd\ne;");
    }
    assertThat(ClientProperties.of(Map.of("ssl.key", "\"${ENV:A}\"")).resolve(environment))
        .containsEntry("ssl.key", "\"a\"b\\c'd\ne\"");
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
