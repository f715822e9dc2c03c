#include "host/launch_file/launch_form.h"

#include "host/device/typed_value.h"
#include "host/launch_file/launch_plan.h"

namespace warptime::host {

using yaml::Field;
using yaml::Form;
using yaml::KeyRule;

namespace {

using FormKind = Form::Kind;

const Form kLaunchText{.kind = FormKind::Text};
const Form kLaunchFlag{.kind = FormKind::Boolean};
const Form kLaunchExpression{.kind = FormKind::Expression};
const Form kLaunchNumber{.kind = FormKind::Number, .computed = true};
const Form kLaunchValue{.kind = FormKind::Value, .computed = true};
const Form kLaunchValues{.kind = FormKind::List, .least = 1, .of = &kLaunchValue};

Form computed_whole(double low, double high) {
  return {.kind = FormKind::Whole, .check = range(low, high), .computed = true};
}
Form one_of_words(std::vector<std::string> words) { return {.kind = FormKind::Word, .words = std::move(words)}; }
Form user_names(const Form& of, bool plain = false) {
  return {.kind = FormKind::Names, .plain_names = plain, .may_be_empty = true, .of = &of};
}

constexpr double kLargest32 = 4294967295.0;
constexpr double kLargest64 = 18446744073709551615.0;
const Form kPositive32 = computed_whole(1, kLargest32);
const Form kWhole32 = computed_whole(0, kLargest32);
const Form kWhole64 = computed_whole(0, kLargest64);
const Form kStream = computed_whole(0, 1000);
const Form kRounds = computed_whole(1, 1e9);
const Form kDimensions{.kind = FormKind::List, .least = 1, .most = 3, .of = &kPositive32};

const Form& type_word() {
  static const Form form = one_of_words({value_type_names().begin(), value_type_names().end()});
  return form;
}

Form parameter_form() {
  return {.kind = FormKind::Map,
          .fields = {{"default", &kLaunchNumber, "its value without --param", true},
                     {"min", &kLaunchNumber, "the least value that --param may give"},
                     {"max", &kLaunchNumber, "the greatest value that --param may give"},
                     {"help", &kLaunchText, "what it is, for messages"}},
          .name = "A parameter"};
}

Form iota_form() {
  return {.kind = FormKind::Map,
          .fields = {{"start", &kLaunchValue, "the first value", false, "0"},
                     {"step", &kLaunchValue, "the difference of two", false, "1"}},
          .name = "iota"};
}

Form random_form() {
  return {.kind = FormKind::Map,
          .fields = {{"seed", &kWhole64, "the same seed gives the same values", false, "1"},
                     {"min", &kLaunchValue, "the least value; without it 0, or any of an integer type"},
                     {"max", &kLaunchValue, "the greatest value; without it 1, or any of an integer type"}},
          .rules = {{KeyRule::Kind::Together, {"min", "max"}}},
          .name = "random"};
}

Form init_form(const LaunchForms& forms) {
  return {.kind = FormKind::Map,
          .fields = {{"iota", &forms.iota, "values at equal distances"}, {"random", &forms.random, "random values"}},
          .rules = {{KeyRule::Kind::ExactlyOne, {"iota", "random"}, "must say one of random, iota or zeros"}}};
}

Form data_form(const LaunchForms& forms) {
  static const Form count = computed_whole(1, static_cast<double>(kMaxCount));
  static const Form align{.kind = FormKind::Whole, .check = power_of_two(1, 1 << 20), .computed = true};
  static const Form init{.kind = FormKind::Choice, .choices = {&forms.init_word, &forms.init}};
  return {.kind = FormKind::Map,
          .fields = {{"type", &type_word(), "of its elements", true},
                     {"count", &count, "element count; required unless values or file is given"},
                     {"values", &kLaunchValues, "the elements"},
                     {"init", &init, "zeros, iota or random; a map gives details", false, "zeros"},
                     {"file", &kLaunchText, "the elements: raw bytes, little endian, or a .npy file"},
                     {"align", &align, "multiple of bytes at which it begins", false, "the machine's"},
                     {"address", &kWhole64, "where it begins, for contents with pointers; not of .const variables",
                      false, "the next free place"}},
          .rules = {{KeyRule::Kind::AtMostOne, {"values", "init", "file"}},
                    {KeyRule::Kind::AtLeastOne, {"count", "values", "file"}, "has no \"count\""}},
          .name = "A buffer or a constant"};
}

Form texture_form() {
  static const Form side = computed_whole(1, 1 << 27), channels = computed_whole(1, 4);
  static const Form address = one_of_words({"clamp", "wrap", "mirror", "border"}),
                    filter = one_of_words({"point", "linear"}), read = one_of_words({"element", "normalized"});
  return {.kind = FormKind::Map,
          .fields = {{"buffer", &kLaunchText, "the buffer that holds its texels", true},
                     {"type", &type_word(), "of a channel", true},
                     {"channels", &channels, "values in a texel", false, "1"},
                     {"width", &side, "texels along x", true},
                     {"height", &side, "texels along y; without it, it is linear memory"},
                     {"depth", &side, "texels along z"},
                     {"address", &address, "what coordinates outside of it give", false, "clamp"},
                     {"filter", &filter, "the nearest texel, or an interpolation", false, "point"},
                     {"normalized", &kLaunchFlag, "coordinates from 0 to 1", false, "false"},
                     {"read", &read, "integers as they are, or from 0 to 1", false, "element"}},
          .name = "A texture"};
}

Form tensor_map_form(const LaunchForms& forms) {
  constexpr double kMostBytes = 1099511627776.0;  // 2^40
  static const Form number = computed_whole(0, kMostBytes);
  static const Form numbers{.kind = FormKind::List, .least = 1, .most = 5, .of = &number};
  static const Form pitch{.kind = FormKind::Choice, .choices = {&number, &numbers}};
  static const Form type = one_of_words({"u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16",
                                         "f32_ftz", "tf32", "tf32_ftz"}),
                    swizzle = one_of_words({"none", "32B", "64B", "128B"}),
                    interleave = one_of_words({"none", "16B", "32B"}),
                    promotion = one_of_words({"none", "64B", "128B", "256B"}), fill = one_of_words({"zero", "nan"});
  return {.kind = FormKind::Map,
          .fields = {{"buffer", &kLaunchText, "the buffer that holds the tensor", true},
                     {"type", &type, "of its elements", true},
                     {"dims", &numbers, "elements along each dimension, from the innermost on", true},
                     {"pitch_bytes", &pitch,
                      "bytes from row to row; a list: from element to element, of all dimensions but the first", false,
                      "dense"},
                     {"box", &numbers, "elements that a copy passes along each dimension"},
                     {"element_strides", &numbers, "of the elements that it passes, every so many are copied", false,
                      "1 each"},
                     {"interleave", &interleave, "channels lie in slices of so many bytes", false, "none"},
                     {"swizzle", &swizzle, "units of 16 bytes change places in shared memory within so many bytes",
                      false, "none"},
                     {"l2_promotion", &promotion, "what the L2 reads; nothing depends on it", false, "none"},
                     {"oob_fill", &fill, "what elements outside of the tensor are", false, "zero"},
                     {"im2col", &forms.im2col, "a copy passes pixels of a bounding box"}},
          .rules = {{KeyRule::Kind::ExactlyOne, {"box", "im2col"}}},
          .name = "A tensor map"};
}

Form im2col_form() {
  static const Form channels = computed_whole(1, 256), pixels = computed_whole(1, 1024);
  static const Form corner{.kind = FormKind::Whole, .check = range(-32768, 32767), .computed = true};
  static const Form corners{.kind = FormKind::List, .least = 1, .most = 3, .of = &corner};
  return {.kind = FormKind::Map,
          .fields = {{"channels", &channels, "elements of a pixel", true},
                     {"pixels", &pixels, "pixels of a copy", true},
                     {"lower", &corners, "the first corner of the bounding box, along W, H and D", false, "0 each"},
                     {"upper", &corners, "the last one, from the tensor's last element on", false, "0 each"}},
          .name = "im2col"};
}

Form fill_form() {
  static const Form value = computed_whole(0, 255);
  return {.kind = FormKind::Map,
          .fields = {{"buffer", &kLaunchText, "the buffer", true},
                     {"value", &value, "of each byte", false, "0"},
                     {"bytes", &kWhole64, "at most the buffer's", false, "all of it"},
                     {"offset", &kWhole64, "bytes before the first one", false, "0"},
                     {"stream", &kStream, "its stream", false, "0"}},
          .name = "A memset"};
}

Form until_form() {
  return {.kind = FormKind::Map,
          .fields = {{"buffer", &kLaunchText, "the buffer of the element that is looked at", true},
                     {"element", &kWhole64, "its index", false, "0"},
                     {"equals", &kLaunchValue, "the loop ends when the element has this value"},
                     {"below", &kLaunchValue, "or is less than this"},
                     {"above", &kLaunchValue, "or is greater than this"},
                     {"at_most", &kRounds, "rounds after which it ends in any case, with a note", true}},
          .rules = {{KeyRule::Kind::ExactlyOne, {"equals", "below", "above"}}},
          .name = "A condition"};
}

Form copy_form() {
  return {.kind = FormKind::Map,
          .fields = {{"to", &kLaunchText, "the buffer of a copy from host to device"},
                     {"from", &kLaunchText, "the buffer of a copy from device to host"},
                     {"bytes", &kWhole64, "at most the buffer's", false, "all of it"},
                     {"pinned", &kLaunchFlag, "host memory is page-locked", false, "false"},
                     {"asynchronous", &kLaunchFlag, "the host goes on meanwhile; needs pinned", false, "false"},
                     {"stream", &kStream, "its stream; 0 is the default stream", false, "0"}},
          .rules = {{KeyRule::Kind::ExactlyOne,
                     {"to", "from"},
                     "must say one of \"to\" (host to device) and \"from\" (the way back)"}},
          .name = "A copy"};
}

Form launch_form(const LaunchForms& forms) {
  static const Form argument{.kind = FormKind::Choice,
                             .choices = {&kLaunchText, &forms.value_argument, &forms.address, &forms.bytes,
                                         &forms.texture_argument, &forms.tensor_argument}};
  static const Form arguments{.kind = FormKind::List, .of = &argument};
  static const Form registers = computed_whole(1, 255);
  return {.kind = FormKind::Map,
          .fields = {{"kernel", &kLaunchText, "the kernel's name", true},
                     {"grid", &kDimensions, "blocks along x, y and z", true},
                     {"block", &kDimensions, "threads of a block along x, y and z", true},
                     {"cluster", &kDimensions,
                      "blocks of a cluster along x, y and z; what the kernel requires, if it does"},
                     {"args", &arguments, "its arguments in order; a text is a buffer's name, for its address"},
                     {"shared_bytes", &kWhole32, "dynamic shared memory per block", false, "0"},
                     {"registers_per_thread", &registers, "in place of the estimate"},
                     {"repeat", &kRounds, "so many launches, one after the other", false, "1"},
                     {"synchronous", &kLaunchFlag, "the host waits for its end", false, "false"},
                     {"stream", &kStream, "its stream; kernels of different ones may run side by side", false, "0"}},
          .name = "A launch"};
}

Form loop_form(const LaunchForms& forms) {
  return {.kind = FormKind::Map,
          .fields = {{"repeat", &kRounds, "how often"},
                     {"until", &forms.until, "ends the loop by a value"},
                     {"index", &kLaunchText, "a name for the round, from 0, in expressions; 100000 rounds at most"},
                     {"launches", &forms.steps, "what is repeated, in order", true}},
          .rules = {{KeyRule::Kind::ExactlyOne, {"repeat", "until"}, "must say one of \"repeat\" and \"until\""}},
          .name = "A loop"};
}

Form value_argument_form() {
  Form form{.kind = FormKind::Map, .name = "An argument with a value"};
  KeyRule one{KeyRule::Kind::ExactlyOne, {}, "has one type and one value"};
  for (std::string_view type : value_type_names()) {
    form.fields.push_back({std::string(type), &kLaunchValue, "the argument's value in this type"});
    one.keys.push_back(type);
  }
  form.rules.push_back(std::move(one));
  return form;
}

constexpr double kMostPoints = 1e6;
const Form kPoints{.kind = FormKind::Number, .check = range(0, kMostPoints), .computed = true};

Form expectation_form() {
  static const Form error{.kind = FormKind::Number, .check = range(0, 1e300), .computed = true};
  return {.kind = FormKind::Map,
          .fields = {{"file", &kLaunchText, "the values: raw bytes, little endian, or a .npy file"},
                     {"values", &kLaunchValues, "the values"},
                     {"max_abs_error", &error, "largest difference that passes", false, "0"},
                     {"max_ulp", &kWhole64, "largest difference that passes, in units in the last place", false, "0"},
                     {"points", &kPoints, "what it counts in a lab (`warptime grade`)", false, "1"},
                     {"hint", &kLaunchText, "what is said to whoever does not meet it"}},
          .rules = {{KeyRule::Kind::ExactlyOne, {"file", "values"}}},
          .name = "An expectation"};
}

Form figure_limits_form() {
  static const Form limit{.kind = FormKind::Scalar};
  return {.kind = FormKind::Map,
          .fields = {{"max", &limit, "the figure is at most this: a number, an expression, or a percentage (90%)"},
                     {"min", &limit, "the figure is at least this"},
                     {"equals", &limit, "the figure is this"},
                     {"launch", &limit, "the figure of one launch, by its number from 0 on or its kernel", false,
                      "that of the whole run"},
                     {"of", &limit, "a second launch: the limits are for the first one's figure divided by this one's"},
                     {"points", &kPoints, "what it counts in a lab (`warptime grade`)", false, "1"},
                     {"hint", &kLaunchText, "what is said to whoever does not meet it"}},
          .rules = {{KeyRule::Kind::AtLeastOne, {"max", "min", "equals"}}},
          .name = "Limits of a figure"};
}

Form figure_form() {
  return {.kind = FormKind::Map,
          .fields = {{"value", &kLaunchExpression, "its expression", true},
                     {"unit", &kLaunchText, "for the summary and the statistics"},
                     {"what", &kLaunchText, "a few words on what it is"}},
          .name = "A figure"};
}

Form file_form(const LaunchForms& forms) {
  static const Form parameters = user_names(forms.parameter, true), data = user_names(forms.data),
                    textures = user_names(forms.texture), outputs = user_names(kLaunchText),
                    expect = user_names(forms.expectation);
  static const Form figure{.kind = FormKind::Choice, .choices = {&kLaunchExpression, &forms.figure}};
  static const Form figures = user_names(figure, true);
  static const Form limits_list{.kind = FormKind::List, .least = 1, .of = &forms.figure_limits},
      none = one_of_words({"none"}),
      limits{.kind = FormKind::Choice, .choices = {&forms.figure_limits, &limits_list, &none}};
  static const Form expect_figures = user_names(limits);
  return {
      .kind = FormKind::Map,
      .fields = {{"module", &kLaunchText, "the PTX file, relative to this one", true},
                 {"params", &parameters, "numbers that --param sets and expressions use, by name"},
                 {"buffers", &data, "device memory, by name"},
                 {"constants", &data, "what module-scope .const and .global variables hold, by their name"},
                 {"textures", &textures, "texture references of the module, or arguments, by name"},
                 {"launches", &forms.steps, "kernels, copies, memsets and loops in order", true},
                 {"outputs", &outputs,
                  "files for the contents of buffers after the last launch, by the buffer's name: .npy, or raw bytes; "
                  "- is standard output"},
                 {"expect", &expect, "what buffers have to hold after the last launch, by the buffer's name"},
                 {"figures", &figures, "quantities computed from the statistics of the run, by name"},
                 {"expect_figures", &expect_figures,
                  "what figures of the run have to be, by name (`warptime list figures`); `findings: none`: `warptime "
                  "check` finds no error"},
                 {"machine", &kLaunchText,
                  "the machine of runs without --machine: a name, or a file relative to this one", false,
                  "geforce-8800-gtx"}},
      .name = "The file"};
}

}  // namespace

const LaunchForms& launch_forms() {
  // The forms refer to each other: each is filled in its place.
  static LaunchForms f;
  static const bool filled = [] {
    f.parameter = parameter_form();
    f.iota = iota_form();
    f.random = random_form();
    f.init_word = one_of_words({"zeros", "iota", "random"});
    f.init = init_form(f);
    f.data = data_form(f);
    f.texture = texture_form();
    f.copy = copy_form();
    f.copy_step = {.kind = FormKind::Map,
                   .fields = {{"copy", &f.copy, "a copy, for its time alone", true}},
                   .name = "A copy step"};
    f.fill = fill_form();
    f.fill_step = {.kind = FormKind::Map,
                   .fields = {{"memset", &f.fill, "sets bytes of a buffer", true}},
                   .name = "A memset step"};
    f.until = until_form();
    f.address = {.kind = FormKind::Map,
                 .fields = {{"address", &kLaunchText, "a buffer's name, for its address", true},
                            {"offset", &kWhole64, "bytes added to it", false, "0"}},
                 .name = "An argument with an address"};
    f.bytes = {.kind = FormKind::Map,
               .fields = {{"bytes", &kLaunchText, "hexadecimal digits, two a byte, of a structure", true}},
               .name = "An argument of bytes"};
    f.texture_argument = {.kind = FormKind::Map,
                          .fields = {{"texture", &kLaunchText, "a texture's name, for its handle", true}},
                          .name = "A texture as an argument"};
    f.im2col = im2col_form();
    f.tensor_map = tensor_map_form(f);
    f.tensor_argument = {
        .kind = FormKind::Map,
        .fields = {{"tensor_map", &f.tensor_map, "a tensor map of a buffer, for copies of boxes", true}},
        .name = "A tensor map as an argument"};
    f.value_argument = value_argument_form();
    f.launch = launch_form(f);
    f.loop = loop_form(f);
    f.step = {.kind = FormKind::Choice, .choices = {&f.copy_step, &f.fill_step, &f.launch, &f.loop}};
    f.steps = {.kind = FormKind::List, .least = 1, .of = &f.step};
    f.expectation = expectation_form();
    f.figure = figure_form();
    f.figure_limits = figure_limits_form();
    f.file = file_form(f);
    return true;
  }();
  (void)filled;
  return f;
}

}  // namespace warptime::host
