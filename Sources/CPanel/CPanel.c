#include "include/CPanel.h"

#include "files.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const struct cpanel_file files[] = {
#ifdef FILE_1
#define FILE FILE_1
#include "file.inc"
#endif
#ifdef FILE_2
#define FILE FILE_2
#include "file.inc"
#endif
#ifdef FILE_3
#define FILE FILE_3
#include "file.inc"
#endif
#ifdef FILE_4
#define FILE FILE_4
#include "file.inc"
#endif
#ifdef FILE_5
#define FILE FILE_5
#include "file.inc"
#endif
#ifdef FILE_6
#define FILE FILE_6
#include "file.inc"
#endif
#ifdef FILE_7
#define FILE FILE_7
#include "file.inc"
#endif
#ifdef FILE_8
#define FILE FILE_8
#include "file.inc"
#endif
#ifdef FILE_9
#define FILE FILE_9
#include "file.inc"
#endif
#ifdef FILE_10
#define FILE FILE_10
#include "file.inc"
#endif
#ifdef FILE_11
#define FILE FILE_11
#include "file.inc"
#endif
#ifdef FILE_12
#define FILE FILE_12
#include "file.inc"
#endif
#ifdef FILE_13
#define FILE FILE_13
#include "file.inc"
#endif
#ifdef FILE_14
#define FILE FILE_14
#include "file.inc"
#endif
#ifdef FILE_15
#define FILE FILE_15
#include "file.inc"
#endif
#ifdef FILE_16
#define FILE FILE_16
#include "file.inc"
#endif
#ifdef FILE_17
#define FILE FILE_17
#include "file.inc"
#endif
#ifdef FILE_18
#define FILE FILE_18
#include "file.inc"
#endif
#ifdef FILE_19
#define FILE FILE_19
#include "file.inc"
#endif
#ifdef FILE_20
#define FILE FILE_20
#include "file.inc"
#endif
#ifdef FILE_21
#define FILE FILE_21
#include "file.inc"
#endif
#ifdef FILE_22
#define FILE FILE_22
#include "file.inc"
#endif
#ifdef FILE_23
#define FILE FILE_23
#include "file.inc"
#endif
#ifdef FILE_24
#define FILE FILE_24
#include "file.inc"
#endif
#ifdef FILE_25
#define FILE FILE_25
#include "file.inc"
#endif
#ifdef FILE_26
#define FILE FILE_26
#include "file.inc"
#endif
#ifdef FILE_27
#define FILE FILE_27
#include "file.inc"
#endif
#ifdef FILE_28
#define FILE FILE_28
#include "file.inc"
#endif
#ifdef FILE_29
#define FILE FILE_29
#include "file.inc"
#endif
#ifdef FILE_30
#define FILE FILE_30
#include "file.inc"
#endif
#ifdef FILE_31
#define FILE FILE_31
#include "file.inc"
#endif
#ifdef FILE_32
#define FILE FILE_32
#include "file.inc"
#endif
#ifdef FILE_33
#define FILE FILE_33
#include "file.inc"
#endif
#ifdef FILE_34
#define FILE FILE_34
#include "file.inc"
#endif
#ifdef FILE_35
#define FILE FILE_35
#include "file.inc"
#endif
#ifdef FILE_36
#define FILE FILE_36
#include "file.inc"
#endif
#ifdef FILE_37
#define FILE FILE_37
#include "file.inc"
#endif
#ifdef FILE_38
#define FILE FILE_38
#include "file.inc"
#endif
#ifdef FILE_39
#define FILE FILE_39
#include "file.inc"
#endif
#ifdef FILE_40
#define FILE FILE_40
#include "file.inc"
#endif
#ifdef FILE_41
#define FILE FILE_41
#include "file.inc"
#endif
#ifdef FILE_42
#define FILE FILE_42
#include "file.inc"
#endif
#ifdef FILE_43
#define FILE FILE_43
#include "file.inc"
#endif
#ifdef FILE_44
#define FILE FILE_44
#include "file.inc"
#endif
#ifdef FILE_45
#define FILE FILE_45
#include "file.inc"
#endif
#ifdef FILE_46
#define FILE FILE_46
#include "file.inc"
#endif
#ifdef FILE_47
#define FILE FILE_47
#include "file.inc"
#endif
#ifdef FILE_48
#define FILE FILE_48
#include "file.inc"
#endif
#ifdef FILE_49
#define FILE FILE_49
#include "file.inc"
#endif
#ifdef FILE_50
#define FILE FILE_50
#include "file.inc"
#endif
#ifdef FILE_51
#define FILE FILE_51
#include "file.inc"
#endif
#ifdef FILE_52
#define FILE FILE_52
#include "file.inc"
#endif
#ifdef FILE_53
#define FILE FILE_53
#include "file.inc"
#endif
#ifdef FILE_54
#define FILE FILE_54
#include "file.inc"
#endif
#ifdef FILE_55
#define FILE FILE_55
#include "file.inc"
#endif
#ifdef FILE_56
#define FILE FILE_56
#include "file.inc"
#endif
#ifdef FILE_57
#error "there is room for 56 files: add to the table"
#endif
};

const struct cpanel_file *cpanel_file(size_t number) {
  return number < sizeof(files) / sizeof(*files) ? &files[number] : NULL;
}
