import { parseDraggedField } from '../../../../nodes/MessagingAccount/parameters/draggedField';

test.each([
	['={{ $json.number }}', ['number']],
	['={{$json.number}}', ['number']],
	["={{ $json['Phone Number'] }}", ['Phone Number']],
	['={{ $json["Phone Number"] }}', ['Phone Number']],
	['={{ $json.customers[0].number }}', ['customers', '0', 'number']],
	["={{ $json.customer['Größe'].$id_2 }}", ['customer', 'Größe', '$id_2']],
])('%s is the path %j', (expression, path) => expect(parseDraggedField(expression)).toEqual(path));

test.each([
	...['={{ $json }}', '={{ $json?.number }}', '={{ $json[number] }}', '={{ $json[-1] }}'],
	...['={{ $json.number.trim() }}', '={{ $json.number + 1 }}', '={{ $json.2nd }}'],
	...['={{ $json.$ }}', '={{ $json.$.length }}', '={{ $json[010] }}', "={{ $json['a\nb'] }}"],
	...["={{ $json['it\\'s'] }}", "={{ $json['a}}b'] }}", '={{ $json.a }}{{ $json.b }}'],
	...['=Order {{ $json.number }}', '= {{ $json.number }}', '={{ $json.number }} '],
	...["={{ $('Sheet').item.json.number }}", '{{ $json.number }}', '='],
])('%s is left to n8n', (expression) => expect(parseDraggedField(expression)).toBeUndefined());
