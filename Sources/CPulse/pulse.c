#include "CPulse.h"

#include "CLoading.h"

// All functions of the library that the program calls. The linker reports a missing one.
// clang-format off
#define FUNCTIONS(CALL)                                                                           \
  CALL(pa_channel_map *, pa_channel_map_init_extend,                                              \
       (pa_channel_map *m, unsigned int channels, pa_channel_map_def_t def), (m, channels, def))  \
  CALL(pa_channel_map *, pa_channel_map_parse, (pa_channel_map *map, const char *s), (map, s))    \
  CALL(char *, pa_channel_map_snprint,                                                            \
       (char *s, size_t l, const pa_channel_map *map), (s, l, map))                               \
  CALL(int, pa_context_connect,                                                                   \
       (pa_context *c, const char *server, pa_context_flags_t flags, const pa_spawn_api *api),    \
       (c, server, flags, api))                                                                   \
  CALL(void, pa_context_disconnect, (pa_context *c), (c))                                         \
  CALL(int, pa_context_errno, (const pa_context *c), (c))                                         \
  CALL(pa_operation *, pa_context_get_server_info,                                                \
       (pa_context *c, pa_server_info_cb_t cb, void *userdata), (c, cb, userdata))                \
  CALL(pa_operation *, pa_context_get_sink_info_list,                                             \
       (pa_context *c, pa_sink_info_cb_t cb, void *userdata), (c, cb, userdata))                  \
  CALL(pa_operation *, pa_context_get_sink_input_info,                                            \
       (pa_context *c, uint32_t idx, pa_sink_input_info_cb_t cb, void *userdata),                 \
       (c, idx, cb, userdata))                                                                    \
  CALL(pa_operation *, pa_context_get_source_info_list,                                           \
       (pa_context *c, pa_source_info_cb_t cb, void *userdata), (c, cb, userdata))                \
  CALL(pa_context_state_t, pa_context_get_state, (const pa_context *c), (c))                      \
  CALL(pa_operation *, pa_context_move_sink_input_by_name,                                        \
       (pa_context *c, uint32_t idx, const char *sink_name, pa_context_success_cb_t cb,           \
        void *userdata),                                                                          \
       (c, idx, sink_name, cb, userdata))                                                         \
  CALL(pa_operation *, pa_context_move_source_output_by_name,                                     \
       (pa_context *c, uint32_t idx, const char *source_name, pa_context_success_cb_t cb,         \
        void *userdata),                                                                          \
       (c, idx, source_name, cb, userdata))                                                       \
  CALL(pa_context *, pa_context_new_with_proplist,                                                \
       (pa_mainloop_api *mainloop, const char *name, const pa_proplist *proplist),                \
       (mainloop, name, proplist))                                                                \
  CALL(void, pa_context_set_subscribe_callback,                                                   \
       (pa_context *c, pa_context_subscribe_cb_t cb, void *userdata), (c, cb, userdata))          \
  CALL(pa_operation *, pa_context_subscribe,                                                      \
       (pa_context *c, pa_subscription_mask_t m, pa_context_success_cb_t cb, void *userdata),     \
       (c, m, cb, userdata))                                                                      \
  CALL(void, pa_context_unref, (pa_context *c), (c))                                              \
  CALL(int, pa_mainloop_dispatch, (pa_mainloop *m), (m))                                          \
  CALL(void, pa_mainloop_free, (pa_mainloop *m), (m))                                             \
  CALL(pa_mainloop_api *, pa_mainloop_get_api, (pa_mainloop *m), (m))                             \
  CALL(pa_mainloop *, pa_mainloop_new, (void), ())                                                \
  CALL(int, pa_mainloop_poll, (pa_mainloop *m), (m))                                              \
  CALL(int, pa_mainloop_prepare, (pa_mainloop *m, int timeout), (m, timeout))                     \
  CALL(void, pa_operation_cancel, (pa_operation *o), (o))                                         \
  CALL(pa_operation_state_t, pa_operation_get_state, (const pa_operation *o), (o))                \
  CALL(void, pa_operation_unref, (pa_operation *o), (o))                                          \
  CALL(void, pa_proplist_free, (pa_proplist *p), (p))                                             \
  CALL(const char *, pa_proplist_gets,                                                            \
       (const pa_proplist *p, const char *key), (p, key))                                         \
  CALL(const char *, pa_proplist_iterate,                                                         \
       (const pa_proplist *p, void **state), (p, state))                                          \
  CALL(pa_proplist *, pa_proplist_new, (void), ())                                                \
  CALL(int, pa_proplist_sets,                                                                     \
       (pa_proplist *p, const char *key, const char *value), (p, key, value))                     \
  CALL(const char *, pa_sample_format_to_string, (pa_sample_format_t f), (f))                     \
  CALL(int, pa_sample_spec_valid, (const pa_sample_spec *spec), (spec))                           \
  CALL(int, pa_stream_begin_write,                                                                \
       (pa_stream *p, void **data, size_t *nbytes), (p, data, nbytes))                            \
  CALL(int, pa_stream_connect_playback,                                                           \
       (pa_stream *s, const char *dev, const pa_buffer_attr *attr, pa_stream_flags_t flags,       \
        const pa_cvolume *volume, pa_stream *sync_stream),                                        \
       (s, dev, attr, flags, volume, sync_stream))                                                \
  CALL(int, pa_stream_connect_record,                                                             \
       (pa_stream *s, const char *dev, const pa_buffer_attr *attr, pa_stream_flags_t flags),      \
       (s, dev, attr, flags))                                                                     \
  CALL(pa_operation *, pa_stream_cork,                                                            \
       (pa_stream *s, int b, pa_stream_success_cb_t cb, void *userdata), (s, b, cb, userdata))    \
  CALL(int, pa_stream_disconnect, (pa_stream *s), (s))                                            \
  CALL(pa_operation *, pa_stream_drain,                                                           \
       (pa_stream *s, pa_stream_success_cb_t cb, void *userdata), (s, cb, userdata))              \
  CALL(int, pa_stream_drop, (pa_stream *p), (p))                                                  \
  CALL(pa_operation *, pa_stream_flush,                                                           \
       (pa_stream *s, pa_stream_success_cb_t cb, void *userdata), (s, cb, userdata))              \
  CALL(const pa_buffer_attr *, pa_stream_get_buffer_attr, (pa_stream *s), (s))                    \
  CALL(uint32_t, pa_stream_get_device_index, (const pa_stream *s), (s))                           \
  CALL(const char *, pa_stream_get_device_name, (const pa_stream *s), (s))                        \
  CALL(uint32_t, pa_stream_get_index, (const pa_stream *s), (s))                                  \
  CALL(int, pa_stream_get_latency,                                                                \
       (pa_stream *s, pa_usec_t *r_usec, int *negative), (s, r_usec, negative))                   \
  CALL(const pa_sample_spec *, pa_stream_get_sample_spec, (pa_stream *s), (s))                    \
  CALL(pa_stream_state_t, pa_stream_get_state, (const pa_stream *p), (p))                         \
  CALL(const pa_timing_info *, pa_stream_get_timing_info, (pa_stream *s), (s))                    \
  CALL(int, pa_stream_is_suspended, (const pa_stream *s), (s))                                    \
  CALL(pa_stream *, pa_stream_new_with_proplist,                                                  \
       (pa_context *c, const char *name, const pa_sample_spec *ss, const pa_channel_map *map,     \
        pa_proplist *p),                                                                          \
       (c, name, ss, map, p))                                                                     \
  CALL(int, pa_stream_peek, (pa_stream *p, const void **data, size_t *nbytes), (p, data, nbytes)) \
  CALL(size_t, pa_stream_readable_size, (const pa_stream *p), (p))                                \
  CALL(pa_operation *, pa_stream_set_buffer_attr,                                                 \
       (pa_stream *s, const pa_buffer_attr *attr, pa_stream_success_cb_t cb, void *userdata),     \
       (s, attr, cb, userdata))                                                                   \
  CALL(void, pa_stream_set_event_callback,                                                        \
       (pa_stream *p, pa_stream_event_cb_t cb, void *userdata), (p, cb, userdata))                \
  CALL(void, pa_stream_set_moved_callback,                                                        \
       (pa_stream *p, pa_stream_notify_cb_t cb, void *userdata), (p, cb, userdata))               \
  CALL(void, pa_stream_set_read_callback,                                                         \
       (pa_stream *p, pa_stream_request_cb_t cb, void *userdata), (p, cb, userdata))              \
  CALL(void, pa_stream_set_underflow_callback,                                                    \
       (pa_stream *p, pa_stream_notify_cb_t cb, void *userdata), (p, cb, userdata))               \
  CALL(void, pa_stream_set_write_callback,                                                        \
       (pa_stream *p, pa_stream_request_cb_t cb, void *userdata), (p, cb, userdata))              \
  CALL(void, pa_stream_unref, (pa_stream *s), (s))                                                \
  CALL(pa_operation *, pa_stream_update_timing_info,                                              \
       (pa_stream *p, pa_stream_success_cb_t cb, void *userdata), (p, cb, userdata))              \
  CALL(size_t, pa_stream_writable_size, (const pa_stream *p), (p))                                \
  CALL(int, pa_stream_write,                                                                      \
       (pa_stream *p, const void *data, size_t nbytes, pa_free_cb_t free_cb, int64_t offset,      \
        pa_seek_mode_t seek),                                                                     \
       (p, data, nbytes, free_cb, offset, seek))                                                  \
  CALL(const char *, pa_strerror, (int error), (error))
// clang-format on

CLOADING_LIBRARY("libpulse.so.0", "libpulse0", FUNCTIONS)

const char *cpulse_load(void) { return cloading_load(&library); }
