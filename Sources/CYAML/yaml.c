#include "CYAML.h"

#include "CLoading.h"

// All that is called of it: a function that is missing here is missed by the linker.
// clang-format off
#define FUNCTIONS(CALL)                                                                           \
  CALL(void, yaml_document_delete, (yaml_document_t *document), (document))                       \
  CALL(void, yaml_event_delete, (yaml_event_t *event), (event))                                   \
  CALL(void, yaml_parser_delete, (yaml_parser_t *parser), (parser))                               \
  CALL(int, yaml_parser_initialize, (yaml_parser_t *parser), (parser))                            \
  CALL(int, yaml_parser_load, (yaml_parser_t *parser, yaml_document_t *document),                 \
       (parser, document))                                                                        \
  CALL(int, yaml_parser_parse, (yaml_parser_t *parser, yaml_event_t *event), (parser, event))     \
  CALL(void, yaml_parser_set_encoding, (yaml_parser_t *parser, yaml_encoding_t encoding),         \
       (parser, encoding))                                                                        \
  CALL(void, yaml_parser_set_input_string,                                                        \
       (yaml_parser_t *parser, const unsigned char *input, size_t size), (parser, input, size))
// clang-format on

CLOADING_LIBRARY("libyaml-0.so.2", "libyaml-0-2", FUNCTIONS)

const char *cyaml_load(void) { return cloading_load(&library); }
