package io.latimer.pipelines.beam;

import io.latimer.pipelines.sink.Format;
import io.latimer.pipelines.source.InputConfig;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.options.Default;
import org.apache.beam.sdk.options.Description;
import org.apache.beam.sdk.options.PipelineOptions;

/** The options of {@link TranslationPipeline}, beside those of its runner. */
public interface TranslationOptions extends PipelineOptions {
  /** The stage. */
  @Description(
      "translate; or identity, which writes every sentence as it is, to measure the cost of a"
          + " pipeline without a model.")
  @Default.String("translate")
  String getStage();

  void setStage(String stage);

  /** Path of the model. */
  @Description("Model file made by `latimer model import`; all workers must have it there.")
  String getModel();

  void setModel(String model);

  /** Path of the phrase index. */
  @Description(
      "Phrase index made by `latimer phrases index`, to translate by phrases instead of with a"
          + " model; all workers must have it there. Needs --languageModel.")
  String getPhrases();

  void setPhrases(String phrases);

  /** Path of the language model. */
  @Description(
      "Language model of the target language made by `latimer lm import`, to translate by"
          + " phrases; all workers must have it there.")
  String getLanguageModel();

  void setLanguageModel(String languageModel);

  /** Further settings of the stage. */
  @Description(
      "Settings of the translate stage of a job, as KEY=VALUE, separated by commas: beam=4,"
          + "device=auto,batch.max-records=64. What follows a comma and has no = belongs to the"
          + " value before it.")
  List<String> getSettings();

  void setSettings(List<String> settings);

  /** Files to read. */
  @Description("Text files, one sentence a line, or Avro container files; a path or a pattern.")
  String getInput();

  void setInput(String input);

  /** Topics to read. */
  @Description("Kafka topics to read.")
  List<String> getInputTopics();

  void setInputTopics(List<String> topics);

  /** How inputs are encoded. */
  @Description("Encoding of the input: AUTO, AVRO or TEXT.")
  @Default.Enum("AUTO")
  InputConfig.Encoding getEncoding();

  void setEncoding(InputConfig.Encoding encoding);

  /** Language of plain text. */
  @Description("Language of plain text as a BCP 47 tag.")
  @Default.String("")
  String getLanguage();

  void setLanguage(String language);

  /** Kafka brokers. */
  @Description("Kafka brokers, such as localhost:9092.")
  String getBootstrapServers();

  void setBootstrapServers(String servers);

  /** Settings of consumers. */
  @Description("Settings of Kafka consumers, as JSON; group.id also commits offsets.")
  Map<String, String> getConsumerConfig();

  void setConsumerConfig(Map<String, String> config);

  /** Settings of producers. */
  @Description("Settings of Kafka producers, as JSON.")
  Map<String, String> getProducerConfig();

  void setProducerConfig(Map<String, String> config);

  /** Files to write. */
  @Description("Prefix of the files to write; with --ordered, the file itself.")
  String getOutput();

  void setOutput(String output);

  /** Whether lines of output correspond to lines of input. */
  @Description(
      "Write one text file, with a line for each line of the one input file, in order; a line that"
          + " cannot be translated becomes an empty one.")
  boolean isOrdered();

  void setOrdered(boolean ordered);

  /** Topic to write. */
  @Description("Kafka topic to write.")
  String getOutputTopic();

  void setOutputTopic(String topic);

  /** How results are encoded. */
  @Description("Format of the results: AVRO, JSON or TEXT.")
  @Default.Enum("TEXT")
  Format getFormat();

  void setFormat(Format format);

  /** Files of dead letters. */
  @Description("Prefix of the files for records that cannot be translated, as JSON lines.")
  String getDeadLetters();

  void setDeadLetters(String deadLetters);

  /** Topic of dead letters. */
  @Description("Kafka topic for records that cannot be translated.")
  String getDeadLetterTopic();

  void setDeadLetterTopic(String topic);

  /** Windows of n-gram tables. */
  @Description(
      "Length of the event-time windows whose n-grams are counted, in seconds; 0 for none.")
  @Default.Long(0)
  long getNgramWindowSeconds();

  void setNgramWindowSeconds(long seconds);

  /** How late sentences may be. */
  @Description("How long after its end a window accepts late sentences, in seconds.")
  @Default.Long(0)
  long getNgramLatenessSeconds();

  void setNgramLatenessSeconds(long seconds);

  /** Settings of the counts. */
  @Description(
      "Settings of the ngrams stage of a job, as KEY=VALUE, separated by commas:"
          + " unit=words,order=2,top=20.")
  List<String> getNgramSettings();

  void setNgramSettings(List<String> settings);

  /** Topic of n-gram tables. */
  @Description("Kafka topic for the tables of n-grams.")
  String getNgramTopic();

  void setNgramTopic(String topic);

  /** Files of n-gram tables. */
  @Description("Prefix of the files for the tables of n-grams, as JSON lines.")
  String getNgramOutput();

  void setNgramOutput(String output);
}
